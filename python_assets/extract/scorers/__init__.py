"""What is known of how rightly a measure reads: packaged figures, and the rows of raw.scorers."""
