"""Exercises of the chapter "Metric shopping"."""
