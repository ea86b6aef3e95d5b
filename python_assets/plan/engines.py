"""How much is asked of the engines of a study: marks of responses, and what earlier stages wrote.

Belongs here: counting. A judge marks every distinct text once a repeat, and beside rules only what they leave
open, so what is counted of it is the most that it can be asked; what the scrape and assemble stages ask is
known once their logs hold it.
"""

from collections.abc import Iterator

import duckdb
import pandas as pd

from python_assets.assemble.planted_pairs import planted_pairs
from python_assets.assemble.written_items import n_inquiries
from python_assets.extract.measures import Measure, resolve_measures
from python_assets.extract.units import prompts_in_slices
from python_assets.plan.text import PlannedSystem
from python_assets.providers.configs import log_path
from python_assets.providers.engine import engine_of
from python_assets.providers.log import read_log
from python_assets.study.study import Study, System
from python_assets.warehouse.build import Home

BEFORE_PROMPTS = ("scrape", "assemble")
_BASELINES = "select prompt_id, baseline_text from raw.prompts where baseline_text is not null"


def planned_engines(
    study: Study, connection: duckdb.DuckDBPyConnection, responses: pd.DataFrame, home: Home
) -> list[PlannedSystem]:
    """One row an engine and stage that asks it.

    Args:
        study: the study.
        connection: with its prompts, which hold what engines replied.
        responses: one row a generation and prompt: prompt_id and n, how many there will be.
        home: where the logs of engines lie.
    """
    marks = [
        _row(engine, f"judge of {measure.measure_id}", _n_marks(study, connection, measure, responses))
        for engine, measure in _judges(study)
    ]
    return [*_from_logs(study, home), *marks]


def unknown_engines(study: Study) -> list[PlannedSystem]:
    """Who writes items and judges branches, and the judges of responses, of which nobody knows yet how many."""
    marks = [_row(engine, f"judge of {measure.measure_id}", None) for engine, measure in _judges(study)]
    return [*_of_branches(study), *marks]


def _of_branches(study: Study) -> Iterator[PlannedSystem]:
    """What writing and judging takes if no item is missing; of what is yet to be read nobody knows how much."""
    prompts = study.prompts
    branch, scrape, spec = prompts.branch, prompts.scrape, prompts.assemble
    if branch is None or scrape is None:
        return
    n_items = spec.items if spec.themes is not None else None
    if spec.engine is not None and spec.items is not None:
        n_written = None if n_items is None else n_inquiries(n_items, len(spec.themes or ()))
        yield _row(engine_of(study, spec.engine), "items", n_written)
    if branch.check is not None:
        n_targets = [source for source, _ in branch.ends(scrape.levels)].count(prompts.written_level)
        n_judged = None if n_items is None else len(planted_pairs()) + n_items * n_targets
        yield _row(engine_of(study, branch.check), "judge of branches", n_judged)


def _judges(study: Study) -> Iterator[tuple[System, Measure]]:
    """Every entry of measures with an engine once, whatever it gives beside its mark."""
    seen: list[int] = []
    for measure in resolve_measures(study):
        if measure.spec.engine is not None and id(measure.spec) not in seen:
            seen.append(id(measure.spec))
            yield engine_of(study, measure.spec.engine), measure


def _row(engine: System, what: str, n: int | None) -> PlannedSystem:
    return PlannedSystem(engine.system_id, engine.spec.provider, engine.model, n, n, what)


def _from_logs(study: Study, home: Home) -> Iterator[PlannedSystem]:
    for engine in study.engines.values():
        for stage in BEFORE_PROMPTS:
            log = log_path(study, home, f"{engine.system_id}.{stage}")
            if n := len(read_log(log).outcomes):
                yield _row(engine, stage, n)


def _n_marks(study: Study, connection: duckdb.DuckDBPyConnection, measure: Measure, responses: pd.DataFrame) -> int:
    """Responses and distinct baseline texts of the prompts that a measure reads, times its repeats."""
    repeats = measure.spec.rubric.repeats if measure.spec.rubric else 1
    baselines = connection.execute(_BASELINES).df()
    if measure.slices:
        conditions = [study.slice_condition(name) for name in measure.slices]
        read = prompts_in_slices(connection, study.study_id, conditions)
        responses = responses[responses["prompt_id"].isin(read)]
        baselines = baselines[baselines["prompt_id"].isin(read)]
    n_baselines = 0 if measure.spec.refusal else baselines["baseline_text"].nunique()
    return repeats * int(responses["n"].sum() + n_baselines)
