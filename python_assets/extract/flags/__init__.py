"""Flags of a response that its generation gave it."""
