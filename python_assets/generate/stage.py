"""The generation stage: the prompts of the build file, answered by every generation of the study.

Belongs here: from the study file and the raw tables to GenerationConfig, and back to raw.generations and
raw.responses. How one generation answers is run.py.
"""

import json
import re
from collections.abc import Callable
from dataclasses import asdict
from time import perf_counter
from typing import Any, NamedTuple

import duckdb
import pandas as pd

from python_assets.errors import StudyError
from python_assets.generate.run import generate
from python_assets.generate.types import GenerationConfig, GenerationRun, Prompt
from python_assets.registry import is_function_path, load_function
from python_assets.study import Generation, Study, make_id
from python_assets.study_base import BASELINE
from python_assets.warehouse import Home, Quarantined, write_stage

UNNAMED = ""  # an import without a column of generations: its responses belong to the one that replays them
UNSTORABLE = re.compile("[\ud800-\udfff\x00]")
RESPONSE_COLUMNS = [
    "prompt_id",
    "replicate",
    "response_id",
    "response_text",
    "status",
    "error",
    "requested_at",
    "latency_seconds",
    "n_tokens_in",
    "n_tokens_out",
    "context_json",
]


Answers = dict[tuple[str, int], str | None]


class GenerateCounts(NamedTuple):
    """What the generations answered."""

    n_generations: int
    n_responses: int
    n_requested: int
    n_from_log: int
    n_by_status: dict[str, int]
    n_quarantined: int
    seconds: float


def generate_study(
    study: Study, connection: duckdb.DuckDBPyConnection, home: Home, progress: Callable[[str], None]
) -> GenerateCounts:
    """Ask every generation every prompt and write raw.generations and raw.responses.

    Args:
        study: the study.
        connection: its build file, with raw.prompts and raw.prompt_factors filled.
        home: where the response logs lie.
        progress: is told now and then how far a generation is.

    Raises:
        GenerationError: a generation cannot answer at all; what others answered stays in their logs.
        StudyError: two imported generations have the same identifier.
    """
    started = perf_counter()
    imported = _imported_answers(study)
    prompts = read_prompts(connection)
    runs: list[tuple[Generation, GenerationRun]] = []
    for generation in expand_generations(study, list(imported)):
        config = _config(study, generation, _answers(study, generation, imported))
        log = home.responses(study.study_id) / f"{generation.generation_id}.jsonl"
        runs.append((generation, generate(prompts, config, log, progress=_reporter(generation, progress))))
    quarantine = [
        Quarantined(
            f"{generation.generation_id} | {record.record_key}",
            record.rule,
            record.detail,
            record.record_json,
        )
        for generation, run in runs
        for record in run.quarantine
    ]
    responses = _responses(runs)
    tables = {
        "generations": _generations(runs, any((p.baseline_text or "").strip() for p in prompts)),
        "responses": responses,
    }
    write_stage(connection, study.study_id, "generate", tables, quarantine)
    return GenerateCounts(
        n_generations=len(runs),
        n_responses=len(responses),
        n_requested=sum(run.n_requested for _, run in runs),
        n_from_log=sum(run.n_from_log for _, run in runs),
        n_by_status={str(k): int(v) for k, v in responses["status"].value_counts().items()},
        n_quarantined=len(quarantine),
        seconds=perf_counter() - started,
    )


def expand_generations(study: Study, imported: list[str]) -> list[Generation]:
    """The generations of a study, with * written out as one for each imported generation.

    Args:
        study: the study.
        imported: identifiers of the imported generations.
    """
    expanded = []
    for generation in study.generations:
        if generation.generation_id == "*":
            expanded += [
                generation.model_copy(update={"generation_id": name, "model": name}) for name in imported
            ]
        else:
            expanded.append(generation)
    names = [generation.generation_id for generation in expanded]
    if twice := {name for name in names if names.count(name) > 1}:
        raise StudyError(f"{study.path}: generations {sorted(twice)} occur twice; give them other names")
    return expanded


def read_prompts(connection: duckdb.DuckDBPyConnection) -> list[Prompt]:
    """The prompts of the build file with their levels, in the order they were written."""
    rows = connection.execute(
        """
        select prompt_id, root_prompt_id, prompt_text, baseline_text, task, factors, levels
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
        Prompt(prompt_id, root, text, baseline, dict(zip(factors or [], levels or [], strict=True)), task)
        for prompt_id, root, text, baseline, task, factors, levels in rows
    ]


def _imported_answers(study: Study) -> dict[str, Answers]:
    if study.prompts.import_ is None:
        return {}
    from python_assets.importers import read_import

    rows = read_import(study).rows
    names = {name: make_id(name) for name in rows["generation"].unique()}
    if len(set(names.values())) < len(names):
        raise StudyError(
            f"{study.path}: imported generations {sorted(names)} do not all keep different identifiers"
        )
    answers = {}
    for name, part in rows.groupby("generation", sort=False):
        keys = zip(part["prompt_id"], part["replicate"].astype(int), strict=True)
        texts = part["response_text"].astype(object).where(part["response_text"].notna(), None)
        answers[names[name]] = dict(zip(keys, texts, strict=True))
    return answers


def _answers(study: Study, generation: Generation, imported: dict[str, Answers]) -> Answers:
    if generation.spec.provider != "replay":
        return {}
    name = UNNAMED if UNNAMED in imported else generation.generation_id
    if name not in imported:
        raise StudyError(
            f"{study.path}: generation {name!r} replays imported responses, but the import has none of it; "
            f"it has {', '.join(sorted(imported)) or 'no responses'}"
        )
    return imported[name]


def _config(study: Study, generation: Generation, answers: Answers) -> GenerationConfig:
    spec = generation.spec
    function = load_function(spec.provider, study.folder) if is_function_path(spec.provider) else None
    return GenerationConfig(
        generation_id=generation.generation_id,
        provider=spec.provider,
        model=generation.model,
        system_prompt=generation.system_prompt,
        prompt_template=generation.prompt_template,
        decoding=spec.decoding.model_dump(exclude_none=True),
        replicates=spec.replicates,
        concurrency=spec.concurrency,
        timeout_seconds=spec.timeout_seconds,
        max_retries=spec.max_retries,
        max_characters=spec.max_characters,
        base_url=spec.base_url,
        api_key_env=spec.api_key_env,
        options=spec.options,
        study_seed=study.seed,
        answers=answers,
        function=function.function if function else None,
        function_sha256=function.source_sha256 if function else None,
    )


def _reporter(generation: Generation, progress: Callable[[str], None]) -> Callable[[int, int], None]:
    def report(done: int, total: int) -> None:
        progress(f"{generation.generation_id}: {done:,} of {total:,} responses")

    return report


def _storable(text: str | None) -> str | None:
    """DuckDB takes neither lone surrogates nor NUL, which a model's JSON may hold; the log keeps them."""
    return None if text is None else UNSTORABLE.sub("\ufffd", text)


def _responses(runs: list[tuple[Generation, GenerationRun]]) -> pd.DataFrame:
    parts = [
        pd.DataFrame(map(asdict, run.responses), columns=RESPONSE_COLUMNS).assign(
            generation_id=g.generation_id
        )
        for g, run in runs
    ]
    for part in parts:
        for column in ("response_text", "error", "context_json"):
            part[column] = [_storable(text) for text in part[column]]
    filled = [part for part in parts if len(part)]
    return pd.concat(filled) if filled else pd.DataFrame(columns=[*RESPONSE_COLUMNS, "generation_id"])


def _generations(runs: list[tuple[Generation, GenerationRun]], has_baseline: bool) -> pd.DataFrame:
    rows = [_generation_row(generation, run) for generation, run in runs]
    if has_baseline:
        rows.append(_baseline_row())
    return pd.DataFrame(rows)


def _generation_row(generation: Generation, run: GenerationRun) -> dict[str, Any]:
    spec, description = generation.spec, run.description
    return {
        "generation_id": generation.generation_id,
        "provider": spec.provider,
        "model": generation.model,
        "model_digest": description.model_digest,
        "engine_version": description.engine_version,
        "system_prompt": generation.system_prompt,
        "prompt_template": generation.prompt_template,
        # how imported responses were drawn is not known
        "decoding_json": _json(
            {} if spec.provider == "replay" else spec.decoding.model_dump(exclude_none=True)
        ),
        "extensions_json": "{}",
        "model_details_json": _json({**description.model_details, "options": spec.options}),
        "is_simulated": run.is_simulated,
        "is_baseline": False,
    }


def _baseline_row() -> dict[str, Any]:
    return {
        "generation_id": BASELINE,
        "provider": BASELINE,
        "model": "",
        "model_digest": None,
        "engine_version": None,
        "system_prompt": "",
        "prompt_template": None,
        "decoding_json": "{}",
        "extensions_json": "{}",
        "model_details_json": "{}",
        "is_simulated": False,
        "is_baseline": True,
    }


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
