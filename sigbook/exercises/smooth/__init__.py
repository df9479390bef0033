"""Exercises of the chapter "Corpus BLEU is almost a mean"."""
