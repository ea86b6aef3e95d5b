"""Levels of factors as the columns of an import have them: conditions, and factors of models.

Belongs here: what a column of levels means. Reading the table is table.py.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import pandas as pd

from python_assets.errors import FieldPath, SourceError
from python_assets.study.base import LEVEL_SEPARATOR
from python_assets.study.problems import listed
from python_assets.study.study import Factor
from python_assets.texts.identity import identity


def as_declared(factors: Mapping[str, Factor], entries: pd.DataFrame, controls: Collection[str] = ()) -> pd.DataFrame:
    """Levels as the study file writes them, where entries differ in case, encoding, blanks or invisible signs.

    Args:
        factors: declared ones.
        entries: one row a row of the import, one column a factor, as text.
        controls: negative controls, which may stand in any column.

    Returns:
        The same without space around; an entry that is several levels in another spelling, or none, stays.
    """
    levels = entries.apply(lambda column: column.str.strip())
    for name in map(str, entries):
        declared = [*((factors[name].levels if name in factors else None) or []), *controls]
        levels[name] = levels[name].replace(_spellings(levels[name].dropna().unique(), declared))
    return levels


def _spellings(entries: Iterable[str], declared: Sequence[str]) -> dict[str, str]:
    """The declared level of each entry that is one of them in another spelling."""
    by_identity: dict[str, list[str]] = {}
    for level in declared:
        by_identity.setdefault(identity(level), []).append(level)
    levels_by_entry = {entry: by_identity.get(identity(entry), []) for entry in entries if entry not in declared}
    return {entry: levels[0] for entry, levels in levels_by_entry.items() if len(levels) == 1}


def conditional(factors: Mapping[str, Factor], levels: pd.DataFrame) -> list[str]:
    """The factors that have a condition, of those that levels has a column of."""
    return [name for name, factor in factors.items() if factor.when is not None and name in levels]


def with_references(factors: Mapping[str, Factor], levels: pd.DataFrame) -> pd.DataFrame:
    """Levels with the reference of a conditional factor where its condition fails and the entry is blank.

    Args:
        factors: declared ones.
        levels: one row a row of the import, one column a factor, as text; null and '' are blank.
    """
    filled = {}
    for name in conditional(factors, levels):
        is_blank = levels[name].isna() | (levels[name] == "")
        filled[name] = levels[name].mask(is_blank & ~_holds(factors[name], levels), factors[name].reference)
    return levels.assign(**filled)


def breaks_condition(factors: Mapping[str, Factor], levels: pd.DataFrame) -> pd.Series:
    """Whether a row has the reference where a condition holds, or another level where it fails.

    Args:
        factors: declared ones.
        levels: what with_references gave.
    """
    broken = pd.Series(False, index=levels.index)
    for name in conditional(factors, levels):
        broken |= (levels[name] != factors[name].reference) != _holds(factors[name], levels)
    return broken


def _holds(factor: Factor, levels: pd.DataFrame) -> pd.Series:
    holds = pd.Series(True, index=levels.index)
    for name, allowed in factor.conditions.items():
        holds &= levels[name].isin(allowed)
    return holds


def require_levels(entries: pd.Series, factor: Factor | None, file: str, field: FieldPath) -> None:
    """See that the entries of a table can be levels of a factor, and are declared where it declares some.

    Args:
        entries: the column, which is called as the factor is.
        factor: None where it is not declared.
        file: the name of the table.
        field: of the study file that names the table.

    Raises:
        SourceError: one cannot be, or is not.
    """
    joined = entries[entries.str.contains(LEVEL_SEPARATOR, regex=False)]
    if not joined.empty:
        got = f"the {entries.name} {listed(dict.fromkeys(joined))} in {file}"
        expected = f"a level without {LEVEL_SEPARATOR!r}, which joins levels into a group"
        raise SourceError(field, got, expected, "reword it")
    declared = factor.levels if factor else None
    unknown = [] if declared is None else [entry for entry in dict.fromkeys(entries) if entry not in declared]
    if unknown:
        got, expected = f"the {entries.name} {listed(unknown)} in {file}", f"one of {listed(declared or ())}"
        raise SourceError(field, got, expected, f"correct it, or add it to factors.{entries.name}.levels")


def system_levels(systems: pd.Series, levels: pd.DataFrame, field: FieldPath) -> pd.DataFrame:
    """The levels that each imported generation has of factors of models.

    Args:
        systems: the name of the generation of every row.
        levels: of the factors of models, one column each.
        field: of the study file that names their columns, for error texts.

    Returns:
        One row a generation and factor: generation, factor, level. The name of a generation is its level of
        `model` where no column is.

    Raises:
        SourceError: a generation has several levels of one factor.
    """
    frames = []
    named = levels if "model" in levels else levels.assign(model=systems)
    for name in named:
        pairs = pd.DataFrame({"system": systems, "factor": name, "level": named[name]})
        pairs = pairs[pairs["level"].fillna("") != ""].drop_duplicates()
        several = pairs.loc[pairs["system"].duplicated(), "system"]
        if not several.empty:
            conflicting = pairs.loc[pairs["system"] == several.iloc[0], "level"]
            raise SourceError(
                (*field, str(name)),
                f"the levels {listed(conflicting)} of generation {several.iloc[0]!r}",
                f"one level of {name}, a factor of models",
                "name its column in prompts.import.columns.system, or declare it as type: prompt",
            )
        frames.append(pairs)
    return pd.concat(frames, ignore_index=True)
