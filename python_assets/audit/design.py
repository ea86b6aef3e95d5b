"""How large a study of an audit has to be: the fewest texts that can show a difference of so many points.

Belongs here: from the power that a plan tells to a number of texts, and what the design can show in the end.
"""

import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from python_assets.audit.benchmarks import copy_files, path_of
from python_assets.audit.costs import EFFECTS, BenchmarkCost, cost_of
from python_assets.audit.models import AuditedModel
from python_assets.audit.sized_text import n_texts_of, sized_text
from python_assets.generate.generate_study import asked_systems, read_prompts
from python_assets.infer.tables import INTERACTION
from python_assets.plan.pilot import CHANGES
from python_assets.plan.plan import plan_study
from python_assets.plan.power import DECLARED
from python_assets.plan.requested import IN_MEMORY, assemble_offline
from python_assets.plan.text import Plan, PowerRow
from python_assets.providers.messages import build_messages, estimated_tokens
from python_assets.study.base import LEVEL_SEPARATOR
from python_assets.study.study import Study
from python_assets.study_file.load import load_study
from python_assets.study_file.new_study import write_new
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build

LEAST_TEXTS: Final = 8
# a crossing beyond its parts, and a change of one model against another, take many more than any audit has
NOT_OF_GROUPS: Final = (*CHANGES, INTERACTION)


class Sized(NamedTuple):
    """A study file as it is to be written; n_texts: kept, of n_there; None of a study that is asked as it stands."""

    text: str
    n_texts: int | None
    n_there: int


def sized(benchmark: str, study_id: str, models: list[AuditedModel], design: str) -> Sized:
    """The text of a benchmark's study for these models: with the first texts, as many as the design takes.

    Where all of them detect too little, all are asked. How many that are is in the table of costs, as long as the
    benchmark is the one that the table was made of; else the power is computed.

    Args:
        benchmark: a packaged benchmark.
        study_id: name of the study.
        models: who is asked.
        design: quick or full.

    Raises:
        StudyError: there is no such benchmark, or it simulates no such model.
    """
    original = path_of(benchmark)
    text = original.read_text(encoding="utf-8")
    entries = [one.entry_in(original) for one in models]
    if (known := cost_of(benchmark, design, len(models))) is None:
        return search_size(benchmark, study_id, entries, design)
    written = sized_text(text, systems=entries, effect=EFFECTS[design], n_texts=known.n_texts)
    return Sized(written, known.n_texts, n_texts_of(text))


def search_size(benchmark: str, study_id: str, entries: Sequence[Mapping[str, Any]], design: str) -> Sized:
    """As sized, by the power of a plan of all texts: seconds of computing.

    Args:
        benchmark: a packaged benchmark.
        study_id: name of the study.
        entries: of `systems`, who is asked.
        design: quick or full.
    """
    original = path_of(benchmark)
    text = original.read_text(encoding="utf-8")
    whole = sized_text(text, systems=entries, effect=EFFECTS[design])
    n_there = n_texts_of(text)
    with _study_of(original, study_id, whole) as study:
        needed = [n for row in powers(plan_study(study)) if (n := _n_texts_needed(row, study, n_there)) is not None]
    if not needed:
        return Sized(whole, None, n_there)
    n_texts = min(max(LEAST_TEXTS, *needed), n_there)
    return Sized(sized_text(text, systems=entries, effect=EFFECTS[design], n_texts=n_texts), n_texts, n_there)


def planned_cost(benchmark: str, entries: Sequence[Mapping[str, Any]], design: str) -> BenchmarkCost:
    """A row of the table of costs, by planning the study.

    Args:
        benchmark: a packaged benchmark.
        entries: of `systems`, who is asked.
        design: quick or full.
    """
    size = search_size(benchmark, benchmark, entries, design)
    with _study_of(path_of(benchmark), benchmark, size.text) as study:
        plan = plan_study(study)
        with open_build(IN_MEMORY) as connection:
            assemble_offline(study, connection, paths.home())
            [(_, config), *_] = asked_systems(study, connection, paths.home())
            messages = [build_messages(prompt, config) for prompt in read_prompts(connection)]
    controls = plan.negative_controls
    return BenchmarkCost(
        n_texts=size.n_texts,
        n_root_prompts=plan.n_root_prompts or 0,
        n_calls=(plan.n_calls or 0) // len(entries),
        n_control_calls=0 if controls is None else controls.n_calls // len(entries),
        n_tokens_in=sum(map(estimated_tokens, messages)),
        detectable_effect=detectable_effect(plan),
    )


@contextmanager
def _study_of(original: Path, study_id: str, text: str) -> Iterator[Study]:
    """A study of this text, in a folder with the files of the benchmark, while it is planned."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{study_id}.yml")
        copy_files(original, text, path.parent)
        write_new(path, text.encode())
        yield load_study(path, simulated=True)


def powers(plan: Plan) -> Iterator[PowerRow]:
    """What a plan says of the effects that its study declares, of groups."""
    return (row for row in plan.power if row.source == DECLARED and row.contrast not in NOT_OF_GROUPS)


def detectable_effect(plan: Plan) -> float | None:
    """The smallest difference that every grouping of a study detects; None where it is not known."""
    shown = [row.minimum_detectable_effect for row in powers(plan)]
    return None if None in shown else max(filter(None, shown), default=None)


def _n_texts_needed(row: PowerRow, study: Study, n_there: int) -> int | None:
    """Root prompts; where units are compared whole, by the answers of a group in one unit, which all texts make up."""
    if row.prompt_by_group_share is not None and not study.has_wordings(row.grouping_id.split(LEVEL_SEPARATOR)):
        return row.n_needed
    if row.n_responses_needed is None or not row.n_responses:
        return None
    return math.ceil(row.n_responses_needed * n_there / row.n_responses)
