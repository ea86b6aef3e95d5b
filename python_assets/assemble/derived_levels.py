"""Levels that are derived: by rules from what a prompt and its messages say, or mapped from those of another factor.

Belongs here: factors of prompts, however the prompts came. Of generations: generate/model_factors.py.
"""

from collections.abc import Sequence

import pandas as pd

from python_assets.assemble.prompts import PromptTables
from python_assets.errors import SourceError
from python_assets.importers.level_map import study_level_table
from python_assets.study.factors import mapped_factors
from python_assets.study.study import Factor, Study
from python_assets.texts.conversations import texts_as_read
from python_assets.texts.limits import MOST_CHARACTERS
from python_assets.texts.patterns import PatternTimeout, is_found
from python_assets.texts.words import WordScanner

_COLUMNS = ["prompt_id", "factor", "level"]


def with_derived_levels(study: Study, tables: PromptTables) -> PromptTables:
    """The tables of prompts with the levels of every factor that is derived.

    Args:
        study: its factors have rules or a map.
        tables: with the levels that prompts brought.

    Returns:
        The same prompts. One that no rule fits has the level `otherwise`, or none; one that the rules of
        several levels fit has none; one without the factor that another is mapped from has none.

    Raises:
        SourceError: no prompt has a text, or a level has no mapped one.
        PatternTimeout: a rule does not come to an end.
        StudyError: a table lacks a column.
    """
    factor_rows = tables.prompt_factors
    for name, factor in study.factors.items():
        if factor.rules is not None:
            factor_rows = pd.concat([factor_rows, _by_rules(study, name, factor, tables.prompts)], ignore_index=True)
    for name, level_map in mapped_factors(study.factors).items():
        if study.factors[name].type != "model":
            source_rows = factor_rows[factor_rows["factor"] == level_map.from_]
            levels = source_rows["level"].map(study_level_table(study, name).of(source_rows["level"].unique()))
            factor_rows = pd.concat([factor_rows, source_rows.assign(factor=name, level=levels)], ignore_index=True)
    return tables._replace(prompt_factors=factor_rows)


def _by_rules(study: Study, name: str, factor: Factor, prompts: pd.DataFrame) -> pd.DataFrame:
    field = (study.path, "factors", name, "rules")
    read = texts_as_read(prompts)
    texts = read.dropna()
    if texts.empty:
        remedy = "name its column in prompts.import.columns.prompt_text"
        raise SourceError(field, "no text of any prompt", "texts that rules can read", remedy)
    distinct = list(texts.unique())
    try:
        levels = dict(zip(distinct, levels_of_texts(factor, distinct), strict=True))
    except PatternTimeout as error:
        raise error.at(field) from None
    rows = prompts[["prompt_id"]].assign(factor=name, level=read.map(levels))
    return rows.dropna(subset=["level"])[_COLUMNS]


def levels_of_texts(factor: Factor, texts: Sequence[str]) -> list[str | None]:
    """The level that the rules of a factor give each text.

    Args:
        factor: with rules.
        texts: their first MOST_CHARACTERS are read.

    Returns:
        The level whose rule alone fits; `otherwise` where none fits; None where several do.

    Raises:
        PatternTimeout: an expression did not come to an end.
    """
    rules = factor.rules or {}
    finder = WordScanner({word: level for level, rule in rules.items() if not isinstance(rule, str) for word in rule})
    patterns = {level: rule for level, rule in rules.items() if isinstance(rule, str)}
    text_levels = []
    for text in (text[:MOST_CHARACTERS] for text in texts):
        levels = finder.meanings(text)
        levels |= {level for level, pattern in patterns.items() if is_found(pattern, text)}
        text_levels.append(levels.pop() if len(levels) == 1 else None if levels else factor.otherwise)
    return text_levels
