"""Synthetic testbeds with a known truth: generators, and readers of their frozen tables."""
