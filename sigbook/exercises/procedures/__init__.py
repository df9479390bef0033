"""Exercises of the chapter "What a test set cannot tell you"."""
