"""What a study would do and what its design lets one say: counts, coverage, schemes, power."""
