"""Statistics that are no means: their tests and their intervals."""
