"""Bands beside verdicts in words. The words are python_assets/report/interpretation.py: SQL has no good way to write them."""

from python_assets.report.interpretation import interpretation_sentences


def model(dbt, session):
    """One row per (study_id, slice_id, system_id, measure_id, grouping_id): why band and verdict disagree."""
    dbt.config(materialized="table")
    rows = dbt.ref("int_interpretations").to_arrow_table().to_pylist()
    return session.from_arrow(interpretation_sentences(rows))
