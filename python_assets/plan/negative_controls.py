"""The negative controls of a planned study: how much of what is asked they are, and what is odd about them.

Belongs here: counting and reading what is assembled in memory, and what a study without controls cannot say. Which
difference is found with controls is control_power.py.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import duckdb
import pandas as pd

from python_assets.infer.tables import DIFFERENCES
from python_assets.plan.group_models import build_models
from python_assets.plan.text import PlannedControls, PlannedGrouping, PlannedSystem
from python_assets.published.controls import ONE_WORDING
from python_assets.study.base import ALL_PROMPTS
from python_assets.study.control_types import too_few, types_problem, types_proposal
from python_assets.study.problems import listed, plural
from python_assets.study.study import Study
from python_assets.texts.group_words import group_words
from python_assets.texts.words import WordScanner

_MANY: Final = 30  # controls, past which calls buy little: power at 20 is near its limit (inference.md 14)
_LONGER: Final = 2  # times, from which the length of edits and of groups' words is told
_CONTROLS: Final = "select prompt_id from raw.prompts where negative_control is not null"
_ROWS: Final = """
    select negative_control, place, edit_text, n_root_prompts, n_words, n_words_of_groups
    from marts.negative_controls order by control_position
"""
_N_ROOT_PROMPTS: Final = "select count(distinct root_prompt_id) from raw.prompts where negative_control is null"


def planned_controls(
    study: Study, connection: duckdb.DuckDBPyConnection, responses: pd.DataFrame, systems: Sequence[PlannedSystem]
) -> PlannedControls | None:
    """How many of the prompts and calls are of negative controls; None where there are none.

    Args:
        study: the study.
        connection: with raw.prompts filled.
        responses: one row a system and prompt: system_id, prompt_id and n.
        systems: that answer.
    """
    controls = [prompt for (prompt,) in connection.execute(_CONTROLS).fetchall()]
    if not controls:
        return None
    n_by_system = responses[responses["prompt_id"].isin(controls)].groupby("system_id")["n"].sum()
    # a system makes as many calls for each of its responses
    n_calls = sum(
        (one.n_calls or 0) * int(n_by_system.get(one.system_id, 0)) // one.n_responses
        for one in systems
        if one.n_responses
    )
    types = study.controls.values()
    return PlannedControls(
        n_controls=len(types),
        n_types=None if None in types else len({*types}),
        n_prompts=len(controls),
        n_calls=n_calls,
    )


def control_warnings(study: Study, connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Controls that are too few, rare, longer than the words of groups, or that name a group.

    Args:
        study: the study.
        connection: with its prompts and design tables.
    """
    if study.negative_controls is None:
        return
    from python_assets.infer.formulas.negative_controls import FEWEST_TYPES  # which imports scipy, a slow one

    yield from _warnings_of_numbers(study, FEWEST_TYPES)
    build_models(connection, ("negative_controls",))
    rows = connection.execute(_ROWS).df()
    [n_root_prompts] = connection.execute(_N_ROOT_PROMPTS).fetchone() or (0,)
    if not (rare := rows.loc[2 * rows["n_root_prompts"] < n_root_prompts, "negative_control"]).empty:
        yield (
            f"negative_controls: {listed(rare)} stand in fewer than half of the {n_root_prompts:,} root prompts and "
            "cannot be tested: give the others such a prompt"
        )
    n_words, n_group_words = rows["n_words"].mean(), rows["n_words_of_groups"].mean()
    # a study cannot change those that come with Plumbline
    is_packaged = study.negative_controls.is_packaged
    if not is_packaged and max(n_words, n_group_words) > _LONGER * min(n_words, n_group_words):
        yield (
            f"negative_controls: edits change {n_words:.1f} words on average, groups {n_group_words:.1f}: an edit says "
            "how far words move a score where it is about as long as what names a group"
        )
    yield from _edits_that_name_groups(study, connection)
    edits = {edit.name: f"{edit.place_} {edit.text}" for edit in study.negative_controls.edits or ()}
    for line in (types_proposal(study.controls, edits or None), *types_problem(study.controls, edits or None)):
        if line:
            yield f"negative_controls: {line}"


def one_wording_warnings(groupings: Sequence[PlannedGrouping], controls: PlannedControls | None) -> Iterator[str]:
    """Yield the groupings whose groups stand in one wording each, in a study without controls.

    Args:
        groupings: of the plan.
        controls: of the study.
    """
    names = [one.grouping_id for one in groupings if one.has_one_wording and one.slice_id == ALL_PROMPTS]
    if names and controls is None:
        yield f"grouping{'s' * (len(names) > 1)} {', '.join(names)}: {ONE_WORDING}"


def few_wordings_warnings(groupings: Sequence[PlannedGrouping]) -> Iterator[str]:
    """Yield the groupings, in all prompts or a slice, whose units are wordings and too few."""
    for one in groupings:
        if one.has_few_wordings:
            consequence = "get no p" if one.reason else "say nothing of similar ones, and their intervals are wide"
            yield (
                f"grouping {one.name}: groups stand in {plural(one.n_units, 'wording')}, which are the units: so few "
                f"{consequence}; write 5 a group at least, 8 are usual"
            )


def _warnings_of_numbers(study: Study, fewest_types: int) -> Iterator[str]:
    """Yield what is wrong with the number of controls, of their types and of margins."""
    if (n_controls := len(study.controls)) > _MANY:
        yield f"negative_controls: {n_controls} controls are asked in every root prompt: ten of ten types are usual"
    if line := too_few(study.controls, fewest_types):
        yield f"negative_controls: {line}"
    elif not _has_margin_of_difference(study):
        yield (
            "negative_controls: nothing can be beyond_margin, because metrics are worth different at most beside "
            f"controls: declare analysis.margins of {' or '.join(DIFFERENCES)} if it is asked for"
        )


def _has_margin_of_difference(study: Study) -> bool:
    """Whether a difference of means or rates has a margin, of all measures or of one."""
    named = {*study.margins}.union(*(margin for margin in study.margins.values() if isinstance(margin, dict)))
    return bool(named & {*DIFFERENCES})


def _edits_that_name_groups(study: Study, connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    words = {one.word: one.level for one in group_words(study, connection).words}
    finder = WordScanner({word: word for word in words})
    for position, edit in enumerate((study.negative_controls and study.negative_controls.edits) or ()):
        for key, text in (("place", edit.place_), ("text", edit.text)):
            for word in sorted(finder.meanings(text)):
                factor, level = words[word]
                yield (
                    f"negative_controls.edits[{position}].{key}: {edit.name!r} names {word!r}, a word of {factor} "
                    f"{level!r}: an edit that speaks of a group can matter; reword it"
                )
