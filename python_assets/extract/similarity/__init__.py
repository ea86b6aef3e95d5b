"""Measures by how near the embeddings of texts are to one another."""
