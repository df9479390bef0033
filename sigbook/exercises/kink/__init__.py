"""Exercises of the chapter "The kink"."""
