"""Prompts and responses from elsewhere: one file a format, registered in formats.py by its name."""
