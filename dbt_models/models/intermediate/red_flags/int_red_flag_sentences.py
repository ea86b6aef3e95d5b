"""Red flags in words. The words are python_assets/report/red_flags.py: SQL has no good way to write them."""

from python_assets.report.red_flags import flag_sentences


def model(dbt, session):
    """One row per (study_id, flag_id): what the flag says."""
    dbt.config(materialized="table")
    return session.from_arrow(flag_sentences(dbt.ref("int_red_flags").to_arrow_table().to_pylist()))
