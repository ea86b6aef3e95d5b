"""Which generations are compared with which: each with the reference of the study.

Belongs here: names and levels of factors of models, of a build file or a plan. What is compared of a pair is
generation_changes.py.

Source: inference.md 8.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import duckdb

from python_assets.study.factors import SHIFTED

_GENERATIONS: Final = """
    select generation_id from raw.generations where not is_baseline and not is_engine order by rowid
"""
_LEVELS: Final = "select generation_id, factor, level from raw.generation_factors order by all"


class Pair(NamedTuple):
    """A generation, and the one that it is compared with."""

    own: str
    other: str


def compared_pairs(connection: duckdb.DuckDBPyConnection, reference: str | None) -> list[Pair]:
    """The pairs of a build file, in the order of the study file.

    Args:
        connection: to the build file.
        reference: of pairs_of.
    """
    names = [name for (name,) in connection.execute(_GENERATIONS).fetchall()]
    return pairs_of(names, levels_of(connection), reference)


def levels_of(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """Levels of the factors of models by generation, from raw.generation_factors."""
    levels: dict[str, dict[str, str]] = {}
    for name, factor, level in connection.execute(_LEVELS).fetchall():
        levels.setdefault(name, {})[factor] = level
    return levels


def pairs_of(
    names: Sequence[str], levels: Mapping[str, Mapping[str, str]], reference: str | None
) -> list[Pair]:
    """Every generation against the reference.

    Args:
        names: of the generations, in the order of the study file.
        levels: of levels_of.
        reference: a generation; or a role or a wave: then each generation is compared with the one of that
            role or wave which is like it in all else. The first generation where None.
    """
    if reference is None or reference in names:
        first = reference if reference is not None else next(iter(names), "")
        return [Pair(name, first) for name in names if name != first]
    kinds = {
        name: {of: level for of, level in levels.get(name, {}).items() if of != "generation"}
        for name in names
    }
    shifted = next((of for of in SHIFTED if any(one.get(of) == reference for one in kinds.values())), "")
    return [
        Pair(name, other)
        for name in names
        for other in names
        if name != other and kinds[name] | {shifted: reference} == kinds[other]
    ]
