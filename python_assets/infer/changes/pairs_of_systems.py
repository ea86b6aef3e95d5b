"""Which generations are compared with which: each with the reference of the study; and what is known of a pair.

Belongs here: names and levels of factors of models, of a build file or a plan, and what is true of pairs
whatever is measured. What changed between them is infer_changes.py; a plan reads this file without it.

Source: inference.md 8.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

import duckdb

from python_assets.study.factors import SHIFTED

MOST_UNPAIRED: Final = 0.05  # of the root prompts, past which those that both answered may be others
_SYSTEMS: Final = """
    select system_id from raw.systems where not is_baseline and not is_engine order by rowid
"""
_LEVELS: Final = "select system_id, factor, level from raw.system_factors order by all"
_IDENTICAL: Final = """
    select count(*) > 0 and count(*) = count(case when a.response_text = b.response_text then 1 end)
    from raw.responses as a
    full join (select * from raw.responses where system_id = $other) as b using (prompt_id, replicate)
    where a.system_id = $own or b.system_id is not null
"""
OF_MEASURES: Final = "(cast($measures as varchar[]) is null or list_contains($measures, measure_id))"
"""A condition of SQL: the rows of some measures, or of all where $measures is NULL."""
_SCORERS: Final = f"""
    select measure_id, system_id, list(distinct scorer_version order by scorer_version)
    from raw.measurements
    where (value is not null or label is not null) and {OF_MEASURES}
    group by all
"""


class SystemPair(NamedTuple):
    """A generation, and the one that it is compared with."""

    own: str
    other: str


def compared_pairs(connection: duckdb.DuckDBPyConnection, reference: str | None) -> list[SystemPair]:
    """The pairs of a build file, in the order of the study file.

    Args:
        connection: to the build file.
        reference: of pairs_of.
    """
    return pairs_of(systems_of(connection), levels_of(connection), reference)


def systems_of(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The generations of a build file in the order of the study file, without baseline texts and engines."""
    return [name for (name,) in connection.execute(_SYSTEMS).fetchall()]


def levels_of(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """Levels of the factors of models by generation, from raw.system_factors."""
    levels: dict[str, dict[str, str]] = {}
    for name, factor, level in connection.execute(_LEVELS).fetchall():
        levels.setdefault(name, {})[factor] = level
    return levels


def pairs_of(names: Sequence[str], levels: Mapping[str, Mapping[str, str]], reference: str | None) -> list[SystemPair]:
    """Every generation against the reference.

    Args:
        names: of the generations, in the order of the study file.
        levels: of levels_of.
        reference: a generation; or a role or a wave: then each generation is compared with the one of that
            role or wave which is like it in all else. The first generation where None.
    """
    if reference is None or reference in names:
        first = reference if reference is not None else next(iter(names), "")
        return [SystemPair(name, first) for name in names if name != first]
    kinds = {name: {of: level for of, level in levels.get(name, {}).items() if of != "system"} for name in names}
    shifted = next((of for of in SHIFTED if any(one.get(of) == reference for one in kinds.values())), "")
    return [
        SystemPair(name, other)
        for name in names
        for other in names
        if name != other and kinds[name] | {shifted: reference} == kinds[other]
    ]


class PairFacts(NamedTuple):
    """What is true of pairs, whatever changed.

    identical: pairs that gave the same answers everywhere. scorers: versions of the extractor, by measure
    and generation.
    """

    identical: frozenset[SystemPair]
    scorers: Mapping[tuple[str, str], list[str]]

    def is_same_scorer(self, pair: SystemPair, measure_id: str) -> bool:
        """Whether both generations were measured by the same versions."""
        this_version, other = (self.scorers.get((measure_id, name)) for name in pair)
        return this_version is None or other is None or this_version == other


def read_facts(
    connection: duckdb.DuckDBPyConnection, pairs: Sequence[SystemPair], measures: Collection[str] | None
) -> PairFacts:
    """Read what is known of pairs, by some measures or all."""
    versions = connection.execute(_SCORERS, in_sql(measures)).fetchall()
    return PairFacts(
        frozenset(pair for pair in pairs if connection.execute(_IDENTICAL, pair._asdict()).fetchone() == (True,)),
        {(measure_id, system_id): version for measure_id, system_id, version in versions},
    )


def in_sql(measures: Collection[str] | None) -> dict[str, list[str] | None]:
    """The parameter of OF_MEASURES."""
    return {"measures": None if measures is None else sorted(measures)}
