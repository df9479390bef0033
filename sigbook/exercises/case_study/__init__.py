"""Exercises of the chapter "Case study: which gaps are real, and on which metric"."""
