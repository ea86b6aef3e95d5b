"""What every raw table must satisfy before dbt reads it. One file a raw table; runner.py evaluates them.

The rules are plain data, so that listing them needs no Great Expectations, whose import takes seconds.
"""

from typing import Final

from expectations import documents, measurements, prompt_factors, prompts, responses, sentences
from expectations.rule import Rule

RULES: Final[dict[str, tuple[Rule, ...]]] = {
    module.TABLE: module.RULES
    for module in (documents, sentences, prompts, prompt_factors, responses, measurements)
}
TABLES: Final[tuple[str, ...]] = tuple(RULES)
SCRAPED: Final[frozenset[str]] = frozenset({documents.TABLE, sentences.TABLE})
