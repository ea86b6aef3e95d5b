"""Texts to vectors: encoders, word vectors, their cache, and clusters of vectors."""
