"""What every raw table must satisfy before dbt reads it. One file a raw table; runner.py evaluates them.

Listing the tables needs no Great Expectations, whose import takes seconds: a suite is imported to be run.
"""

from typing import Final

SCRAPED: Final[frozenset[str]] = frozenset({"documents", "sentences"})
TABLES: Final[tuple[str, ...]] = (
    "documents",
    "sentences",
    "prompts",
    "prompt_factors",
    "responses",
    "measurements",
)
