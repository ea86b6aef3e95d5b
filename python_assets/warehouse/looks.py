"""Looks at a study while its root prompts are still being asked: which were taken, and which a run is of.

Belongs here: the file of looks taken, and which root prompts a look asks. What a look may call is infer/looks.py.
A look that is taken has spent its share of the error rate: it is written down once and for all.

Source: inference.md 6.8.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import pandas as pd

from python_assets.errors import NOTHING, StudyError, Told
from python_assets.study.study import Study
from python_assets.warehouse.build import Home, utc_now
from python_assets.warehouse.lines import TIME, append_line, canonical, lines_of
from python_assets.warehouse.preregistration import analysis_sha256, preregistered_at

_FIELD: Final = ("analysis", "looks")
NEW_STUDY: Final = "give the study another name, for what was spent is spent"


class TakenLook(NamedTuple):
    """A look that was taken.

    share: of the planned root prompts, asked by then. level: what its q were held against. taken_at: UTC, as text.
    analysis_sha256: the frozen plan. prompts_sha256: the planned root prompts. data: digest of what was answered and
    measured. significant: rows by table, with their keys, the look that called them first, verdict
    and the value that they had then.
    """

    look: int
    n_root_prompts: int
    share: float
    level: float
    taken_at: str
    analysis_sha256: str
    prompts_sha256: str
    data: str
    significant: dict[str, list[dict[str, Any]]]


def n_looks(study: Study) -> int:
    """How often the study is looked at."""
    looks = study.looks
    return len(looks) if isinstance(looks, list) else looks or 1


def planned_shares(study: Study) -> list[float]:
    """Share of the root prompts that is asked by each look, as the study declares it; 1 of a study without looks."""
    looks, n = study.looks, n_looks(study)
    if isinstance(looks, list):
        return [number / looks[-1] for number in looks]
    return [number / n for number in range(1, n + 1)]


def taken_looks(study: Study, home: Home) -> list[TakenLook]:
    """The looks that were taken, in their order; a line that a kill cut short took none.

    Raises:
        WarehouseError: the file cannot be read.
    """
    looks = []
    for line in lines_of(home.looks(study.study_id, is_simulated=study.has_stand_in)):
        with suppress(ValueError, TypeError):
            looks.append(TakenLook(**json.loads(line)))
    return looks


def take_look(study: Study, home: Home, taken: TakenLook) -> None:
    """Write down that a look was taken.

    Raises:
        WarehouseError: the file cannot be written.
    """
    append_line(home.looks(study.study_id, is_simulated=study.has_stand_in), canonical(taken._asdict()))


def finish_look(study: Study, home: Home, look: int) -> None:
    """Write down that a run of a look came to its end: the next run is of the next look.

    Raises:
        WarehouseError: the file cannot be written.
    """
    if look not in _finished_looks(study, home):
        append_line(home.looks(study.study_id, is_simulated=study.has_stand_in), canonical({"finished": look}))


def _finished_looks(study: Study, home: Home) -> set[int]:
    numbers = set()
    for line in lines_of(home.looks(study.study_id, is_simulated=study.has_stand_in)):
        with suppress(ValueError, KeyError, TypeError):
            numbers.add(json.loads(line)["finished"])
    return numbers


def now() -> str:
    """The present as it stands in the file."""
    return utc_now().strftime(TIME)


def look_to_ask(study: Study, home: Home, wanted: int | None = None) -> int | None:
    """Which look a run is of: the one that is wanted, else the first after all that were taken, at most the last.

    A look that was taken by a run which did not come to its end is gone on with first.

    Args:
        study: what it declares.
        home: its warehouse.
        wanted: counted from 1; None where the run does not say.

    Returns:
        None where the study is looked at once.

    Raises:
        StudyError: the plan is not frozen or not the one that earlier looks were taken of; there is no such look, or a
            later one was taken.
        WarehouseError: the file of looks or of freezes cannot be read.
    """
    taken = taken_looks(study, home)
    if study.looks is None and not taken:
        if wanted is not None:
            raise StudyError("--look", wanted, "a study that declares analysis.looks", "run it without --look")
        return None
    if any(one.analysis_sha256 != analysis_sha256(study) for one in taken):
        last = taken[-1]
        got = f"an analysis that was changed since look {last.look} was taken ({last.taken_at})"
        raise StudyError(_FIELD, Told(got), "the frozen plan of that look", f"undo the change, or {NEW_STUDY}")
    if preregistered_at(study, home) is None:
        remedy = f"plumbline plan {study.study_id} --preregister, before anything is asked"
        raise StudyError(_FIELD, study.looks, "a plan that is frozen as it is now", remedy)
    n, last_taken = n_looks(study), max((one.look for one in taken), default=0)
    if wanted is None:
        is_unfinished = last_taken > 0 and last_taken not in _finished_looks(study, home)
        return last_taken if is_unfinished else min(last_taken + 1, n)
    if not 1 <= wanted <= n:
        raise StudyError("--look", wanted, f"a look from 1 to {n}", "correct the number, or leave it out")
    if wanted < last_taken:
        expected = f"look {last_taken}, which was taken, or a later one"
        raise StudyError("--look", wanted, expected, "leave it out to go on; earlier runs are in the archive")
    return wanted


def look_sizes(study: Study, n_root_prompts: int) -> list[int]:
    """Root prompts that were asked by the end of each look.

    Args:
        study: with looks.
        n_root_prompts: that are planned.

    Raises:
        StudyError: they are too few, or the last look is of another number.
    """
    looks, n = study.looks, n_looks(study)
    if isinstance(looks, list):
        if looks[-1] != n_root_prompts:
            expected = f"the last look of all {n_root_prompts:,} root prompts that the study plans"
            raise StudyError(_FIELD, looks, expected, "correct the last number, or looks: 3 for equal steps")
        return list(looks)
    if n_root_prompts < n:
        got = Told(f"{n_root_prompts:,} root prompts")
        raise StudyError(_FIELD, got if n_root_prompts else NOTHING, f"{n} at least, one a look", "write more of them")
    return [int(number * n_root_prompts / n + 0.5) for number in range(1, n + 1)]


def by_look(study: Study, root_prompts: Iterable[str]) -> pd.Series:
    """The look that asks each root prompt first, by a hash of the seed: no order of theirs decides it.

    Args:
        study: with looks.
        root_prompts: all that are planned, each once.

    Raises:
        StudyError: of look_sizes.
    """
    ordered = sorted(root_prompts, key=lambda one: hashlib.sha256(f"{study.seed}\n{one}".encode()).digest())
    sizes = look_sizes(study, len(ordered))
    steps = [size - before for size, before in zip(sizes, [0, *sizes[:-1]], strict=True)]
    numbers = [number for number, step in enumerate(steps, start=1) for _ in range(step)]
    return pd.Series(numbers, index=ordered, dtype="int64")


def prompts_sha256(root_prompts: Iterable[str]) -> str:
    """Hash of the planned root prompts, whatever their order."""
    return hashlib.sha256("\n".join(sorted(root_prompts)).encode()).hexdigest()


def require_same_prompts(study: Study, home: Home, root_prompts: Sequence[str]) -> None:
    """See that the root prompts are those that earlier looks were planned with.

    Raises:
        StudyError: they are not.
    """
    taken = taken_looks(study, home)
    if taken and taken[-1].prompts_sha256 != prompts_sha256(root_prompts):
        got = Told(f"other root prompts than look {taken[-1].look} was planned with")
        raise StudyError(_FIELD, got, "the root prompts of the first look", f"undo the change, or {NEW_STUDY}")
