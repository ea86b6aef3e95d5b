"""What every raw table must satisfy before SQL reads it. One file a raw table; runner.py evaluates them.

Listing the tables needs no Great Expectations, whose import takes seconds: a suite is imported to be run.
"""

from collections.abc import Mapping
from typing import Final

SCRAPED: Final[frozenset[str]] = frozenset({"documents", "sentences"})
JUDGED: Final = "pair_labels"  # where the study bounds how many pairs of prompts may be bad
CHECKED_TABLES: Final[Mapping[str, str]] = {
    "documents": "every sentence can be traced to a text that was really there",
    "sentences": "a kept sentence is about the level it is kept for",
    "prompts": "each prompt is asked once, as itself, and its branches are its own",
    JUDGED: "few branches are no minimal pair with their root prompt, as far as people say",
    "prompt_factors": "every prompt lies in the groups that the study compares",
    "responses": "every answer is to a known prompt, once, and says what became of it; few are errors",
    "measurements": "a finite value on its scale or a reason, for every response, once",
}
"""What the suite of each says in a sentence."""
