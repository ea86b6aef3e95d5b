"""The algorithms of Plumbline: plain functions and small classes, without Dagster."""
