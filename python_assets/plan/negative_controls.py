"""What a study's negative controls cost, and what it says without them.

Belongs here: counting controls and their calls, and warnings. Which difference is found beside them is
control_power.py.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import duckdb
import pandas as pd

from python_assets.plan.text import PlannedControls, PlannedGrouping, PlannedSystem
from python_assets.study.base import ALL_PROMPTS
from python_assets.study.control_types import types_problem, types_proposal
from python_assets.study.problems import plural

ONE_WORDING: Final = (
    "Each group has one wording and no control edit: how far the score moves when any words change is unknown. "
    "Add a second wording, or declare negative_controls."
)
_CONTROLS: Final = """
    select negative_control, control_type, coalesce(place || ' ' || edit_text, negative_control) as edit
    from raw.negative_controls order by control_position
"""
_PROMPTS: Final = "select prompt_id from raw.prompts where negative_control is not null"


def planned_controls(
    connection: duckdb.DuckDBPyConnection, responses: pd.DataFrame, systems: Sequence[PlannedSystem]
) -> PlannedControls | None:
    """Count the controls of a study; None where it has none.

    Args:
        connection: with its prompts and controls.
        responses: one row a system and prompt: system_id, prompt_id, and n, of responses.
        systems: those that are asked have calls.
    """
    edits = connection.execute(_CONTROLS).fetchall()
    if not edits:
        return None
    prompts = {prompt_id for (prompt_id,) in connection.execute(_PROMPTS).fetchall()}
    asked = {one.system_id for one in systems if one.n_calls}
    n_of_controls = responses[responses.prompt_id.isin(prompts) & responses.system_id.isin(asked)].n.sum()
    types = {name: control_type for name, control_type, _ in edits}
    return PlannedControls(
        n_controls=len(edits),
        n_types=None if None in types.values() else len({*types.values()}),
        n_prompts=len(prompts),
        n_calls=int(n_of_controls),
        types=types,
        edits={name: edit for name, _, edit in edits},
    )


def control_warnings(controls: PlannedControls | None) -> Iterator[str]:
    """Yield what is wrong with the controls of a study: too few, types not declared, two types of one sentence.

    Args:
        controls: of the study, None where it has none.
    """
    if controls is None:
        return
    if controls.df is None:
        n_types = "" if controls.n_types is None else f" of {plural(controls.n_types, 'type')}"
        few = f"{plural(controls.n_controls, 'control')}{n_types}"
        yield f"negative_controls: {few} are too few for a test: declare at least three, of three types, better ten"
    if proposal := types_proposal(controls.types, controls.edits):
        yield f"negative_controls: {proposal}"
    yield from (f"negative_controls: {line}" for line in types_problem(controls.types, controls.edits))


def one_wording_warnings(groupings: Sequence[PlannedGrouping], controls: PlannedControls | None) -> Iterator[str]:
    """Yield the groupings whose groups stand in one wording each, in a study without controls.

    Args:
        groupings: what is exchanged in each.
        controls: of the study.
    """
    names = [one.grouping_id for one in groupings if one.has_one_wording and one.slice_id == ALL_PROMPTS]
    if names and controls is None:
        yield f"grouping{'s' * (len(names) > 1)} {', '.join(names)}: {ONE_WORDING}"
