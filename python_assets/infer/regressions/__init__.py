"""Which factors matter: regressions of outcomes of 0 and 1."""
