"""Scores by text classifiers."""
