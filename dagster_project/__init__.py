"""Wiring only: which asset calls which function of python_assets, on which study."""

from python_assets.telemetry import disable_telemetry

disable_telemetry()  # before anything imports Dagster, dbt or Great Expectations
