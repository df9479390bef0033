"""Exercises of the chapter "Randomization is exact"."""
