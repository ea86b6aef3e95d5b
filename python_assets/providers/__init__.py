"""Asking a model: one file a provider, registered in provider.py; the loop, the response log, the engine."""
