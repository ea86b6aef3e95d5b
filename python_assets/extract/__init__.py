"""Responses and baseline texts to measurements: one file a method, registered in scorer.py by its name."""
