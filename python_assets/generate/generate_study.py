"""The generation stage: the prompts of the build file, answered by every generation of the study.

Belongs here: the order of things, and what is asked of whom. How one generation answers is
providers/loop.py, what the tables get is response_tables.py.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

import duckdb

from python_assets.errors import StudyError, Told
from python_assets.generate.extension import ExtensionJob, extensions
from python_assets.generate.model_factors import system_factors
from python_assets.generate.outcomes_before import outcomes_before
from python_assets.generate.response_tables import Runs, responses_table, systems_table
from python_assets.importers.formats import ImportedTable, read_import
from python_assets.providers.addresses import Addresses
from python_assets.providers.configs import generation_config, log_path
from python_assets.providers.engine import engine_descriptions, probe_judges
from python_assets.providers.judged_refusals import judge_refusals
from python_assets.providers.loop import Logged, generate_all, n_calls_to_ask, probe
from python_assets.providers.records import FLAGS, Answer, Answers, Extension, Prompt, SystemConfig
from python_assets.providers.refusal.study_words import study_words
from python_assets.providers.spending import spending_of
from python_assets.study.base import REPLAY
from python_assets.study.problems import listed
from python_assets.study.study import Study, System, make_id
from python_assets.texts.group_mask import GroupMask
from python_assets.warehouse.build import Home, Quarantined, write_stage
from python_assets.warehouse.progress import SILENT, Progress
from python_assets.warehouse.run_context import ANY_NUMBER, CallAllowance, RunContext

UNNAMED = ""  # an import without a column of generations: its responses belong to the one that replays them


class GenerateCounts(NamedTuple):
    """What the generations answered; n_unusable_marks: replies of a judge of refusals without a yes or no."""

    n_systems: int
    n_responses: int
    n_requested: int
    n_from_log: int
    n_by_status: dict[str, int]
    n_by_flag: dict[str, int]
    n_unusable_marks: int
    n_quarantined: int
    seconds: float


def generate_study(
    study: Study,
    connection: duckdb.DuckDBPyConnection,
    home: Home,
    progress: Progress,
    allowance: CallAllowance = ANY_NUMBER,
) -> GenerateCounts:
    """Ask every system every prompt and write the raw tables of the stage.

    Every generation that a server answers is probed with one call before any of them is asked all.

    Args:
        study: the study.
        connection: its build file, with raw.prompts and raw.prompt_factors filled.
        home: where the response logs lie.
        progress: is told how far each generation is.
        allowance: how many calls the run may still ask.

    Raises:
        ProviderError: a generation cannot answer at all; what others answered stays in their logs.
        StudyError: two imported generations have the same identifier.
        SourceError: a factor of models lacks a mapped level or its reference.
        BudgetError: what the study may spend is spent, and there is more to ask.
        UnconfirmedError: the allowance is too small; nothing was asked.
    """
    started = perf_counter()
    prompts = read_prompts(connection)
    imported = None if study.prompts.import_ is None else read_import(study)
    answers = {} if imported is None else _imported_answers(study, imported)
    everyone = expand_systems(study, list(answers))
    words = study_words(study, connection)
    configured = _configured(study, everyone, answers, (connection, home, progress), words, is_asked=True)
    # what is wrong with the factors of models is told before anything is asked
    model_factors = system_factors(study, [system for system, _ in configured], imported)
    answered = ask_all(study, configured, prompts, home, progress, allowance)
    judged = judge_refusals(
        study, [run for _, run in answered], prompts, RunContext(home, progress, allowance=allowance), words
    )
    runs = [(system, run) for (system, _), run in zip(answered, judged.runs, strict=True)]
    quarantine = _quarantined(runs)
    responses = responses_table(runs)
    systems = systems_table(
        runs, engine_descriptions(study, home), any((p.baseline_text or "").strip() for p in prompts)
    )
    before = outcomes_before(home.published, study.study_id, responses["outcome_version"].dropna().unique())
    tables = {"systems": systems, "system_factors": model_factors, "responses": responses, "outcomes_before": before}
    write_stage(connection, study.study_id, "generate", tables, quarantine)
    return GenerateCounts(
        n_systems=len(runs),
        n_responses=len(responses),
        n_requested=sum(run.n_requested for _, run in runs),
        n_from_log=sum(run.n_from_log for _, run in runs),
        n_by_status={str(k): int(v) for k, v in responses["status"].value_counts().items()},
        n_by_flag={flag: sum(run.n_by_flag[flag] for _, run in runs) for flag in FLAGS},
        n_unusable_marks=judged.n_unusable,
        n_quarantined=len(quarantine),
        seconds=perf_counter() - started,
    )


def ask_all(
    study: Study,
    configured: Sequence[tuple[System, SystemConfig]],
    prompts: Sequence[Prompt],
    home: Home,
    progress: Progress,
    allowance: CallAllowance = ANY_NUMBER,
    *,
    is_probed: bool = True,
) -> Runs:
    """Ask generations prompts, each after a first call that tells whether it can answer; the logs keep all.

    Args:
        study: the study.
        configured: its generations, and how they are asked.
        prompts: all of its prompts, or some.
        home: where the response logs lie.
        progress: is told how far each generation is.
        allowance: how many calls may still be asked.
        is_probed: whether each has its first call before any of them has its second.

    Raises:
        ProviderError, BudgetError, UnconfirmedError: as generate_study.
    """
    logged = [Logged(config, log_path(study, home, config.system_id)) for _, config in configured]
    if allowance.most is not None:
        allowance.require(sum(n_calls_to_ask(prompts, *one) for one in logged))
    addresses = Addresses()
    spending = spending_of(study, home)
    if is_probed:
        for one in logged:
            probe(prompts, *one, addresses=addresses, spending=spending)
        probe_judges(study, home)
    runs = generate_all(
        prompts, logged, progress, addresses=addresses, allowance=allowance, spending=spending_of(study, home)
    )
    return [(system, run) for (system, _), run in zip(configured, runs, strict=True)]


def _quarantined(runs: Runs) -> list[Quarantined]:
    return [
        Quarantined(f"{system.system_id} | {record.record_key}", record.rule, record.detail, record.record_json)
        for system, run in runs
        for record in run.quarantine
    ]


def expand_systems(study: Study, imported: list[str]) -> list[System]:
    """The generations of a study, with * written out as one for each imported generation.

    Args:
        study: the study.
        imported: identifiers of the imported generations.
    """
    expanded = []
    for system in study.systems:
        if system.system_id == "*":
            expanded += [system.model_copy(update={"system_id": name, "model": name}) for name in imported]
        else:
            expanded.append(system)
    names = [system.system_id for system in expanded]
    if twice := {name for name in names if names.count(name) > 1}:
        where, expected = (study.path, "systems"), "each name once"
        raise StudyError(where, Told(f"{listed(sorted(twice))} twice"), expected, "give them other names")
    return expanded


def read_prompts(connection: duckdb.DuckDBPyConnection) -> list[Prompt]:
    """The prompts of the build file with their levels, in the order they were written."""
    rows = connection.execute(
        """
        select prompt_id, root_prompt_id, messages_json, prompt_text, baseline_text, task, replacements_json,
            factors, levels
        from raw.prompts as p
        left join (
            select prompt_id, list(factor order by factor) as factors, list(level order by factor) as levels
            from raw.prompt_factors
            group by prompt_id
        ) as f using (prompt_id)
        order by p.rowid
        """
    ).fetchall()
    return [
        Prompt(
            prompt_id=prompt_id,
            root_prompt_id=root,
            prompt_text=text,
            baseline_text=baseline,
            factors=dict(zip(factors or [], levels or [], strict=True)),
            task=task,
            messages=tuple(json.loads(messages or "[]")),
            replacements_json=replacements,
        )
        for prompt_id, root, messages, text, baseline, task, replacements, factors, levels in rows
    ]


def check_replays(study: Study, imported: ImportedTable) -> None:
    """See that the import has what the generations of a study replay.

    Raises:
        StudyError: it has none of a generation, or two of them would have one name.
    """
    there = list(_imported_names(study, imported).values())
    for system in expand_systems(study, there):
        if system.spec.provider == REPLAY:
            _replayed(study, system, there)


def _imported_names(study: Study, imported: ImportedTable) -> dict[str, str]:
    """Identifiers of the imported generations by their names."""
    names = {name: make_id(name) for name in imported.rows["system"].unique()}
    if len(set(names.values())) < len(names):
        expected = "imported generations that keep different identifiers"
        raise StudyError((study.path, "systems"), sorted(names), expected, "rename one of them")
    return names


def _replayed(study: Study, system: System, there: Collection[str]) -> str:
    """Which imported generation one replays."""
    name = UNNAMED if UNNAMED in there else system.system_id
    if name not in there:
        expected = f"a generation that the import has responses of: {listed(sorted(there))}"
        raise StudyError((study.path, "systems"), name, expected, "correct the name")
    return name


def _imported_answers(study: Study, imported: ImportedTable) -> dict[str, Answers]:
    rows, names = imported.rows, _imported_names(study, imported)
    answers: dict[str, Answers] = {}
    for name, system_rows in rows.groupby("system", sort=False):
        keys = zip(system_rows["prompt_id"], system_rows["replicate"].astype(int), strict=True)
        ended = (
            system_rows[column].astype(object).where(system_rows[column].notna(), None)
            for column in ("response_text", "finish_reason", "error")
            if column in system_rows
        )
        answers[names[str(name)]] = dict(zip(keys, map(Answer, *ended), strict=True))
    return answers


def _answers(study: Study, system: System, imported: dict[str, Answers]) -> Answers:
    is_replay = system.spec.provider == REPLAY
    return imported[_replayed(study, system, imported)] if is_replay else {}


def asked_systems(study: Study, connection: duckdb.DuckDBPyConnection, home: Home) -> list[tuple[System, SystemConfig]]:
    """Every generation that is asked, with how, for a plan: no function of the user's is run.

    Args:
        study: the study.
        connection: of its build file or of a copy in memory, with raw.sentences filled.
        home: where caches lie.
    """
    systems = [one for one in study.systems if one.spec.provider != REPLAY]
    words = study_words(study, connection)
    return _configured(study, systems, {}, (connection, home, SILENT), words, is_asked=False)


def _configured(
    study: Study,
    systems: Sequence[System],
    imported: dict[str, Answers],
    place: tuple[duckdb.DuckDBPyConnection, Home, Progress],
    words: GroupMask,
    *,
    is_asked: bool,
) -> list[tuple[System, SystemConfig]]:
    """Generations with how they are asked; those of one extension share it, which is made from what is in a place."""
    made: dict[str, Extension] = {}

    def extension_of(system: System) -> Extension | None:
        spec = system.extension
        if spec is None:
            return None
        key = spec.model_dump_json()
        if key not in made:
            made[key] = extensions[spec.type](ExtensionJob(study, spec, *place))
        return made[key]

    return [
        (
            system,
            replace(
                generation_config(study, system, _answers(study, system, imported), is_asked=is_asked),
                extension=extension_of(system),
                study_words=words,
            ),
        )
        for system in systems
    ]
