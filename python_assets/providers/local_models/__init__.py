"""Causal language models in this process: the provider transformers."""
