"""Exercises of the chapter "What a cluster hides"."""
