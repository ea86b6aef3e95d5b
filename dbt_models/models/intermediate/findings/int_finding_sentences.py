"""Findings in words. The words are python_assets/report/sentences.py: SQL has no good way to write them."""

from python_assets.report.sentences import sentences


def model(dbt, session):
    """One row per (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters,
    group_id, category, reference): the sentence of a question, whose group is empty, and of each group in it."""
    dbt.config(materialized="table")
    read_from = (
        dbt.ref("int_findings"),
        dbt.ref("int_hypothesis_groups"),
        dbt.ref("int_group_neighbours"),
        dbt.ref("int_scorer_families"),
    )
    read = (rows.to_arrow_table().to_pylist() for rows in read_from)
    # a relation of this session: dbt-duckdb writes a table of Arrow from another, which does not see the old table go
    return session.from_arrow(sentences(*read))
