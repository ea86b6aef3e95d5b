"""Responses and baseline texts to measurements: one file a method, registered in extractor.py by its name."""
