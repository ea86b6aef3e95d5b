"""Wiring only: which asset calls which function of python_assets, on which study."""

from python_assets.quiet import no_telemetry

no_telemetry()  # before anything imports Dagster, dbt or Great Expectations
