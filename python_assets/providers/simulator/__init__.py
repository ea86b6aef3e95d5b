"""Responses of known bias: the provider simulator, its words and what it replies as an engine."""
