"""How a study was done, in words. The words are python_assets/report/methods.py: SQL has no good way to write them."""

from python_assets.report.methods import methods


def model(dbt, session):
    """One row per (study_id): the paragraph for a methods section."""
    dbt.config(materialized="table")
    return session.from_arrow(methods(dbt.ref("int_method_counts").to_arrow_table().to_pylist()))
