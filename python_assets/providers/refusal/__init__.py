"""Whether a response refuses to answer, by rules."""
