"""Formulas on arrays: intervals, power, multiplicity, verdicts."""
