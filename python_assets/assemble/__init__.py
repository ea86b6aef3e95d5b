"""Prompts of a study: from sentences and branches, from templates, or from an imported table.

A new prompt method is one file here, registered in methods.py by its name.
"""

import sys
import time
from collections import Counter
from typing import NamedTuple

import duckdb
import pandas as pd

from python_assets.assemble.branching import Vocabulary, branch_prompts
from python_assets.assemble.methods import METHODS
from python_assets.assemble.prompts import Prompt, PromptTables, derived_factors, prompt_tables
from python_assets.assemble.sampling import sample_per_stratum
from python_assets.assemble.templates import prompts_from_templates
from python_assets.errors import SourceError
from python_assets.importers import read_import
from python_assets.outside import Outside
from python_assets.registry import import_files
from python_assets.study import Scrape, Study, Templates
from python_assets.warehouse import Quarantined, write_stage

import_files(sys.modules[__name__])


class AssembleCounts(NamedTuple):
    """What assembling did. n_dropped: sentences, templates or branches without a prompt, by reason."""

    n_prompts: int
    n_root_prompts: int
    n_dropped: dict[str, int]
    n_quarantined: int
    seconds: float


class _Assembled(NamedTuple):
    tables: PromptTables
    n_dropped: Counter[str]
    quarantine: list[Quarantined]


def assemble(
    study: Study, connection: duckdb.DuckDBPyConnection, outside: Outside | None = None
) -> AssembleCounts:
    """Write the prompts of a study and the levels of their factors: raw.prompts and raw.prompt_factors.

    Args:
        study: says which of the three ways its prompts come.
        connection: its build file, open for writing, with its sentences scraped.
        outside: for methods and replacements that an engine is asked for.

    Returns:
        Rows by what became of them.

    Raises:
        SourceError: a level stays without any prompt, a prompt has no level of the declared unit, or the
            import cannot be read.
    """
    started = time.perf_counter()
    ways = study.prompts
    if ways.scrape is not None:
        assembled = _from_sentences(study, ways.scrape, connection)
    elif ways.templates is not None:
        assembled = _from_templates(study, ways.templates)
    else:
        imported = read_import(study)
        factors = pd.concat([imported.prompt_factors, derived_factors(imported.prompts)], ignore_index=True)
        tables = PromptTables(imported.prompts, factors)
        assembled = _Assembled(tables, Counter(), imported.quarantine)
    prompt_factors = assembled.tables.prompt_factors
    prompts = _with_units(study, assembled.tables)
    _check_levels(study, prompt_factors)
    tables_by_name = {"prompts": prompts, "prompt_factors": prompt_factors}
    write_stage(connection, study.study_id, "assemble", tables_by_name, assembled.quarantine)
    return AssembleCounts(
        n_prompts=len(prompts),
        n_root_prompts=int(prompts["root_prompt_id"].nunique()),
        n_dropped=dict(sorted(assembled.n_dropped.items())),
        n_quarantined=len(assembled.quarantine),
        seconds=time.perf_counter() - started,
    )


def _from_templates(study: Study, spec: Templates) -> _Assembled:
    prompts, n_left_out = prompts_from_templates(study, spec)
    unique, quarantine = _without_duplicates(prompts)
    return _Assembled(prompt_tables(unique), +Counter(not_sampled=n_left_out), quarantine)


def _from_sentences(study: Study, scrape: Scrape, connection: duckdb.DuckDBPyConnection) -> _Assembled:
    sentences = connection.execute(
        "select sentence_id, document_id, source_tag, level, keyword, sentence_text from raw.sentences "
        "where study_id = ? and dropped_reason is null order by rowid",
        [study.study_id],
    ).fetchall()
    made, n_dropped = _make_prompts(study, scrape, sentences)
    branch = study.prompts.branch
    vocabulary = None if branch is None else Vocabulary(scrape, branch)
    if vocabulary is not None:
        made, named = _without_other_levels(made, scrape.factor, vocabulary)
        n_dropped["names_another_level"] = named
    roots = sample_per_stratum(
        made,
        stratum=lambda prompt: (prompt.levels[scrape.factor], prompt.source_tag),
        content=lambda prompt: f"{prompt.levels[scrape.factor]}\0{prompt.baseline_text}",
        max_per_stratum=study.prompts.assemble.max_per_level,
        seed=study.seed,
    )
    n_dropped["not_sampled"] = len(made) - len(roots)
    prompts = roots
    if branch is not None and vocabulary is not None:
        branched = branch_prompts(roots, scrape.factor, vocabulary, branch.counterfactual_baseline)
        n_dropped += branched.n_dropped
        prompts = roots + branched.branches
    _check_scraped_levels(study, scrape, prompts, n_dropped)
    unique, quarantine = _without_duplicates(prompts)
    return _Assembled(prompt_tables(unique), +n_dropped, quarantine)


def _make_prompts(
    study: Study, scrape: Scrape, sentences: list[tuple[str, ...]]
) -> tuple[list[Prompt], Counter[str]]:
    method = METHODS[study.prompts.assemble.way]
    prompts = []
    failed: Counter[str] = Counter()
    for sentence_id, document_id, source_tag, level, keyword, sentence_text in sentences:
        made = method.make(sentence_text, keyword)
        if made.prompt_text is None:
            failed[str(made.reason)] += 1
            continue
        prompts.append(
            Prompt(
                prompt_id=sentence_id,
                root_prompt_id=sentence_id,
                is_root=True,
                task=method.task,
                prompt_text=made.prompt_text,
                baseline_text=sentence_text,
                baseline_kind="actual",
                source_tag=source_tag,
                levels={scrape.factor: level},
                keyword=keyword,
                document_id=document_id,
            )
        )
    return prompts, failed


def _without_other_levels(
    prompts: list[Prompt], factor: str, vocabulary: Vocabulary
) -> tuple[list[Prompt], int]:
    def names_another(prompt: Prompt) -> bool:
        text = prompt.baseline_text or prompt.prompt_text
        return vocabulary.names_another_level(prompt.levels[factor], text)

    kept = [prompt for prompt in prompts if not names_another(prompt)]
    return kept, len(prompts) - len(kept)


def _without_duplicates(prompts: list[Prompt]) -> tuple[list[Prompt], list[Quarantined]]:
    unique: dict[str, Prompt] = {}
    quarantine = []
    for prompt in prompts:
        if prompt.prompt_id in unique:
            detail = f"assemble: the prompt id {prompt.prompt_id!r} is taken by an earlier prompt"
            quarantine.append(Quarantined(prompt.prompt_id, "duplicate_key", detail, prompt.prompt_text))
        else:
            unique[prompt.prompt_id] = prompt
    return list(unique.values()), quarantine


def _check_scraped_levels(
    study: Study, scrape: Scrape, prompts: list[Prompt], n_dropped: Counter[str]
) -> None:
    present = {prompt.levels[scrape.factor] for prompt in prompts}
    missing = [level for level in scrape.levels if level not in present]
    if missing:
        reasons = ", ".join(f"{n} {reason}" for reason, n in sorted((+n_dropped).items())) or "nothing"
        raise SourceError(
            f"{study.path.name}: prompts.scrape.levels: no prompt for {scrape.factor} "
            f"{', '.join(map(repr, missing))}. Dropped on the way, by reason: {reasons}. Give the level "
            "keywords and a source, or make it a target of prompts.branch, or take it out."
        )


def _with_units(study: Study, tables: PromptTables) -> pd.DataFrame:
    """Prompts with the level of the factor that is the declared unit as their unit, else the root prompt."""
    prompts = tables.prompts
    if study.unit is None:
        return prompts
    of_unit = tables.prompt_factors[tables.prompt_factors["factor"] == study.unit]
    unit_id = prompts["prompt_id"].map(of_unit.set_index("prompt_id")["level"])
    if unit_id.isna().any():
        raise SourceError(
            f"{study.path.name}: unit: the prompt {prompts['prompt_id'][unit_id.isna()].iloc[0]!r} has no "
            f"level of {study.unit}. Expected one on every prompt. Add it, or declare another unit."
        )
    return prompts.assign(unit_id=unit_id)


def _check_levels(study: Study, prompt_factors: pd.DataFrame) -> None:
    """A declared level without any prompt is an error: its group would be missing from every table."""
    present = {factor: set(rows) for factor, rows in prompt_factors.groupby("factor")["level"]}
    for factor, declared in study.factors.items():
        if declared.type == "model" or factor not in present:
            continue
        missing = [level for level in declared.levels or [] if level not in present[factor]]
        if missing:
            raise SourceError(
                f"{study.path.name}: factors.{factor}.levels: no prompt has {', '.join(map(repr, missing))}. "
                f"Found: {', '.join(sorted(present[factor]))}. Correct the spelling or take the level out."
            )
