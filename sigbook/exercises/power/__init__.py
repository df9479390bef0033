"""Exercises of the chapter "Power, and what 'not significant' means"."""
