"""Exercises of the chapter "One cloud, several verdicts"."""
