"""Who is asked what of the prompts that a study has, and which questions that makes.

Belongs here: the generations, how many answers each gives, the pairs that are compared, the declared questions; and
refusing a study a declared set of which has none, before anybody is asked.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import duckdb
import pandas as pd

from python_assets.assemble.assemble_study import assemble
from python_assets.extract.baseline import baselines_of
from python_assets.generate.generate_study import UNNAMED, check_replays
from python_assets.importers.formats import ImportedTable, read_import
from python_assets.infer.changes.pairs_of_systems import SystemPair
from python_assets.infer.hypotheses import require_members
from python_assets.plan.comparisons import planned_comparisons
from python_assets.plan.declared_hypotheses import declared_hypotheses
from python_assets.plan.design_tables import design_tables
from python_assets.plan.factors import write_model_factors
from python_assets.plan.group_models import build_group_models
from python_assets.plan.text import PlannedComparison, PlannedSystem
from python_assets.scrape.scrape_study import scrape
from python_assets.study.base import EVERY_IMPORTED, REPLAY
from python_assets.study.study import Study, System, make_id
from python_assets.warehouse import paths
from python_assets.warehouse.build import Home, open_build, write_stage
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import OfflineError, RunContext

IN_MEMORY: Final = Path(":memory:")
_OF_PROMPTS: Final = ("prompts", "prompt_factors")


class RequestedCalls(NamedTuple):
    """Who is asked what: responses has a row a generation and prompt, questions those of declared_hypotheses."""

    imported: ImportedTable | None
    responses: pd.DataFrame
    systems: list[PlannedSystem]
    comparisons: list[PlannedComparison]
    pairs: list[SystemPair]
    hypotheses: pd.DataFrame


def asked_of(study: Study, connection: duckdb.DuckDBPyConnection) -> RequestedCalls:
    """Who is asked what of prompts that are there, and every question of it; writes the design of these prompts.

    Args:
        study: the study.
        connection: a copy in memory with raw.prompts and raw.prompt_factors filled.

    Raises:
        SourceError: a level stays without prompts.
        StudyError: the import has none of a generation that is replayed, or none that is the baseline; or a declared
            set names no question.
    """
    tables = design_tables(study, connection)
    write_stage(connection, study.study_id, "design", tables)
    imported = None if study.prompts.import_ is None else read_import(study)
    if imported is not None:
        check_replays(study, imported)
    write_model_factors(study, connection, imported)
    build_group_models(connection)
    responses = _planned_responses(study, connection, imported)
    systems = _systems(study, responses)
    names = [one.system_id for one in systems]
    if study.baseline is not None:
        baselines_of(study, names)  # raises where none has that name
    comparisons = planned_comparisons(study, connection, names, responses)
    pairs = [SystemPair(one.system_id, one.compared_with) for one in comparisons]
    hypotheses = declared_hypotheses(study, connection, names, pairs)
    require_members(hypotheses, study.primary, study.families)
    return RequestedCalls(imported, responses, systems, comparisons, pairs, hypotheses)


def assemble_offline(study: Study, connection: duckdb.DuckDBPyConnection, home: Home) -> None:
    """Fill a copy in memory with the prompts of a study; nothing is fetched and nobody is asked.

    Raises:
        OfflineError: something would have to be.
        SourceError: a source or table cannot be read.
    """
    run_context = RunContext(home, SILENT, may_ask=False)
    scrape(study, connection, run_context)
    assemble(study, connection, run_context)


def require_hypotheses(study: Study) -> None:
    """Refuse a study a declared set of which names no question, as far as is known before anything is fetched.

    Raises:
        SourceError: a source or table cannot be read.
        SourceError, StudyError: as asked_of.
    """
    if not _declares_families(study):
        return
    with open_build(IN_MEMORY) as connection:
        try:
            assemble_offline(study, connection, paths.home())
        except OfflineError:
            return  # told by require_hypotheses_of_build, as soon as there are prompts
        asked_of(study, connection)


def require_hypotheses_of_build(study: Study, build: duckdb.DuckDBPyConnection) -> None:
    """Refuse what require_hypotheses refuses, once prompts are there and before any is asked.

    Args:
        study: the study.
        build: its build file, with raw.prompts and raw.prompt_factors filled.

    Raises:
        SourceError, StudyError: as asked_of.
    """
    if not _declares_families(study):
        return
    with open_build(IN_MEMORY) as connection:  # the run makes its own of the models that are read here
        prompts = {name: build.execute(f"select * exclude (study_id) from raw.{name}").df() for name in _OF_PROMPTS}
        write_stage(connection, study.study_id, "assemble", prompts)
        asked_of(study, connection)


def _declares_families(study: Study) -> bool:
    return study.primary is not None or bool(study.families)


def _planned_responses(
    study: Study, connection: duckdb.DuckDBPyConnection, imported: ImportedTable | None
) -> pd.DataFrame:
    """One row a generation and prompt: how many responses there will be."""
    prompts = connection.execute("select prompt_id from raw.prompts").df()
    planned = [
        prompts.assign(system_id=system.system_id, n=system.spec.replicates)
        for system in study.systems
        if system.spec.provider != REPLAY
    ]
    frames = [*planned, *_imported_responses(study, prompts, imported)]
    return pd.concat(frames, ignore_index=True)


def _imported_responses(study: Study, prompts: pd.DataFrame, imported: ImportedTable | None) -> Iterator[pd.DataFrame]:
    replayed = {system.system_id for system in study.systems if system.spec.provider == REPLAY}
    if imported is None or not replayed:
        return
    rows = imported.rows.merge(prompts, on="prompt_id")
    rows["system_id"] = rows["system"].map(make_id)
    if set(rows["system"]) == {UNNAMED}:
        # pooled: the responses belong to the one that replays them
        rows["system_id"] = min(replayed)
    if EVERY_IMPORTED not in replayed:
        rows = rows[rows["system_id"].isin(replayed)]
    yield rows.groupby(["system_id", "prompt_id"], sort=False).size().reset_index(name="n")


def _systems(study: Study, responses: pd.DataFrame) -> list[PlannedSystem]:
    n_responses = responses.groupby("system_id", sort=False)["n"].sum()
    named = {system.system_id: system for system in study.systems}
    every = named.get(EVERY_IMPORTED)
    rows = []
    for key in dict.fromkeys([*(name for name in named if name != EVERY_IMPORTED), *n_responses.index]):
        system = named.get(key, every)
        if system is not None:
            rows.append(_planned_system(key, system, int(n_responses.get(key, 0))))
    return rows


def _planned_system(key: str, system: System, n_responses: int) -> PlannedSystem:
    provider, extension = system.spec.provider, system.extension
    n_steps = extension.max_steps if extension is not None and extension.type == "react" else 1
    n_calls = 0 if provider == REPLAY else n_responses * n_steps
    return PlannedSystem(system_id=key, provider=provider, model=system.model, n_responses=n_responses, n_calls=n_calls)
