"""Exercises of the chapter "Choosing a test, and your own outputs"."""
