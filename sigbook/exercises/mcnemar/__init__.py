"""Exercises of the chapter "McNemar is randomization"."""
