"""What the prompts themselves keep from being compared: texts without their factor, slices without units.

Belongs here: counting on raw.prompts and on the groups that dbt's own models form. Blocks are schemes.py.
"""

from collections.abc import Iterator

import duckdb

from python_assets.study.base import NEGATIVE_CONTROL
from python_assets.study.factors import is_model_factor, study_factors
from python_assets.study.problems import listed
from python_assets.study.study import Study, Template, grouping_id

_WITHOUT_LEVEL = """
    select count(*), min(prompt_id)
    from raw.prompts as p
    where negative_control is null and not exists (
        select * from raw.prompt_factors as f where f.prompt_id = p.prompt_id and f.factor = $1
    )
"""
_EMPTY = f"""
    select slice_id, g.grouping_id
    from raw.slice_ids
    cross join (select distinct grouping_id from raw.groupings where grouping_id <> '{NEGATIVE_CONTROL}') as g
    where not exists (
        select * from intermediate.int_prompt_groups as p
        where p.slice_id = slice_ids.slice_id and p.grouping_id = g.grouping_id
    )
    order by all
"""


def prompt_warnings(study: Study, connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """What of the prompts is in no group, is asked of all groups alike, or is in no slice.

    Args:
        study: the study.
        connection: with its prompts, their design and the groups of dbt's models.
    """
    known = study_factors(study)
    for grouping in study.groupings:
        for factor in grouping:
            if is_model_factor(factor, known):
                continue
            yield from _without_level(connection, grouping_id(grouping), factor)
    yield from _texts_without_slot(study)
    for slice_id, grouping in connection.execute(_EMPTY).fetchall():
        yield (
            f"grouping {grouping}, slice {slice_id}: no {study.unit_name} is left, for no prompt of a group "
            "has the levels that the slice names; correct the slice, or take it out"
        )


def _without_level(connection: duckdb.DuckDBPyConnection, grouping: str, factor: str) -> Iterator[str]:
    n, first = connection.execute(_WITHOUT_LEVEL, [factor]).fetchall()[0]
    if n:
        yield (
            f"grouping {grouping}: {n:,} prompts have no level of {factor} and are in no group, "
            f"first {first!r}: give them one"
        )


def _texts_without_slot(study: Study) -> Iterator[str]:
    """Templates that do not hold a factor which they are crossed with and which groups are told apart by."""
    templates = study.prompts.templates
    if templates is None:
        return
    grouped = {factor for grouping in study.groupings for factor in grouping}
    told_apart: dict[str, list[Template]] = {}
    for text in templates.texts:
        listed_factors = (name for one in templates.combinations_of(text) for name in one)
        for factor in dict.fromkeys([*templates.cross_of(text), *listed_factors]):
            if factor in grouped:
                told_apart.setdefault(factor, []).append(text)
        if text.units is not None:  # names tell the levels that they are nested in
            told_apart.setdefault(text.units.name, []).append(text)
    for factor, texts in told_apart.items():
        if without := [text.id for text in texts if not text.holds(f"{{{factor}}}")]:
            yield (
                f"prompts.templates.texts: {listed(without)} ask the same for every level of {factor}: "
                f"write {{{factor}}} into the text"
            )
