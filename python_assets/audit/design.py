"""How large a study of an audit has to be: the fewest texts that can show a difference of so many points.

Belongs here: from the power that a plan tells to a number of texts, and what the design can show in the end.
"""

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.audit.benchmarks import copy_files, path_of
from python_assets.audit.models import AuditedModel
from python_assets.audit.sized_text import n_texts_of, sized_text
from python_assets.infer.tables import INTERACTION
from python_assets.plan.pilot import CHANGES
from python_assets.plan.plan import plan_study
from python_assets.plan.power import DECLARED
from python_assets.plan.text import Plan, PowerRow
from python_assets.study.base import LEVEL_SEPARATOR
from python_assets.study.study import Study
from python_assets.study_file.load import load_study
from python_assets.study_file.new_study import write_new

FULL: Final = "full"
QUICK: Final = "quick"
EFFECTS: Final = {QUICK: 0.15, FULL: 0.1}
"""The difference of rates that a design can show at least."""
LEAST_TEXTS: Final = 8
# a crossing beyond its parts, and a change of one model against another, take many more than any audit has
NOT_OF_GROUPS: Final = (*CHANGES, INTERACTION)


class Sized(NamedTuple):
    """A study file as it is to be written; n_texts: kept, of n_there; None of a study that is asked as it stands."""

    text: str
    n_texts: int | None
    n_there: int


def sized(benchmark: str, study_id: str, models: list[AuditedModel], design: str) -> Sized:
    """The text of a study of the shelf for these models: with the first texts, as many as the design takes.

    Where all of them cannot show it, all are asked.

    Args:
        benchmark: a study of the shelf.
        study_id: what it will be called.
        models: who is asked.
        design: quick or full.

    Raises:
        StudyError: there is no such theme, or it simulates no such model.
    """
    original = path_of(benchmark)
    text = original.read_text(encoding="utf-8")
    entries = [one.entry_in(original) for one in models]
    whole = sized_text(text, systems=entries, effect=EFFECTS[design])
    n_there = n_texts_of(text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{study_id}.yml")
        copy_files(original, text, path.parent)
        write_new(path, whole.encode())
        study = load_study(path, simulated=True)
        needed = [n for row in powers(plan_study(study)) if (n := _n_texts_needed(row, study, n_there)) is not None]
    if not needed:
        return Sized(whole, None, n_there)
    n_texts = min(max(LEAST_TEXTS, *needed), n_there)
    return Sized(sized_text(text, systems=entries, effect=EFFECTS[design], n_texts=n_texts), n_texts, n_there)


def powers(plan: Plan) -> Iterator[PowerRow]:
    """What a plan says of the effects that its study declares, of groups."""
    return (row for row in plan.power if row.source == DECLARED and row.contrast not in NOT_OF_GROUPS)


def smallest_shown(plan: Plan) -> float | None:
    """The smallest difference that every grouping of a study can show; None where it is not known."""
    shown = [row.minimum_detectable_effect for row in powers(plan)]
    return None if None in shown else max(filter(None, shown), default=None)


def _n_texts_needed(row: PowerRow, study: Study, n_there: int) -> int | None:
    """Root prompts; where units are compared whole, by the answers of a group in one unit, which all texts make up."""
    if row.prompt_by_group_share is not None and not study.has_wordings(row.grouping_id.split(LEVEL_SEPARATOR)):
        return row.n_needed
    if row.n_responses_needed is None or not row.n_responses:
        return None
    return math.ceil(row.n_responses_needed * n_there / row.n_responses)
