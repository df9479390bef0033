"""Exercises of the chapter "Real systems"."""
