"""Cells, blocks and units, before any value is tested."""
