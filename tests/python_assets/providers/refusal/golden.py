"""Rows of the golden files beside this one."""

import csv
from pathlib import Path


def golden(name: str) -> list[dict[str, str]]:
    """The rows of a file."""
    with Path(__file__).with_name(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
