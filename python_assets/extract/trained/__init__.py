"""Measures whose head is trained on the labels that people gave to the study's own answers."""
