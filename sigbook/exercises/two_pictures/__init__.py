"""Exercises of the chapter "Two pictures of another test set"."""
