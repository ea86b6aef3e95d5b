"""The assemble stage: the prompts of a study and the levels of their factors into the raw tables."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import duckdb
import pandas as pd

from python_assets.assemble.branching import BranchOutcome
from python_assets.assemble.control_prompts import require_controls, with_controls, with_shared_levels
from python_assets.assemble.derived_levels import with_derived_levels
from python_assets.assemble.planted_pairs import NONE_PLANTED
from python_assets.assemble.portable_roots import portability_note, portable_counts
from python_assets.assemble.prompts import AssembledPrompt, PromptTables, derived_factors, prompt_tables
from python_assets.assemble.repeated_texts import repeated_text_notes
from python_assets.assemble.root_prompts import SAME_TEXT, SentenceOutcome
from python_assets.assemble.scraped import prompts_from_sentences
from python_assets.assemble.templates import prompts_from_templates, same_text_note
from python_assets.errors import SourceError
from python_assets.importers.formats import read_import
from python_assets.study.base import ROOT_PROMPT
from python_assets.study.sizes import require_askable, require_few_levels
from python_assets.study.study import Scrape, Study, Templates
from python_assets.warehouse.build import Quarantined, write_stage
from python_assets.warehouse.looks import by_look, prompts_sha256, require_same_prompts
from python_assets.warehouse.raw_tables import columns_of
from python_assets.warehouse.run_context import RunContext


class AssembleCounts(NamedTuple):
    """What assembling did.

    n_dropped: sentences, templates or branches without a prompt, by reason. n_replacements: words that an
    engine was asked to replace, by what became of them. n_unpaired: prompts that some of several imported
    runs lack. n_normalised: imported levels whose spelling was put right. n_checked, n_portable: root prompts
    that were checked for branching, and those that carry over; notes: for the user.
    """

    n_prompts: int
    n_root_prompts: int
    n_dropped: dict[str, int]
    n_quarantined: int
    n_replacements: dict[str, int]
    n_unpaired: int
    n_normalised: int
    n_checked: int
    n_portable: int
    notes: list[str]
    seconds: float


OF_LOGS: Final = ("imported_metrics", "imported_samples", "imported_sample_parts")
"""The tables of what logs publish, by which it is computed again."""

_NONE_NORMALISED: Final = pd.DataFrame(columns=columns_of("normalised_levels"))


class _Assembled(NamedTuple):
    tables: PromptTables
    n_dropped: Counter[str]
    quarantine: list[Quarantined]
    n_replacements: Mapping[str, int] = {}
    n_unpaired: int = 0
    normalised: pd.DataFrame = _NONE_NORMALISED
    of_logs: Mapping[str, pd.DataFrame] = {}
    outcomes: Sequence[SentenceOutcome] = ()
    planted_pairs: pd.DataFrame = NONE_PLANTED
    branches: Sequence[BranchOutcome] = ()
    control_branch: str | None = None
    notes: Sequence[str] = ()


def assemble(
    study: Study, connection: duckdb.DuckDBPyConnection, run_context: RunContext | None = None
) -> AssembleCounts:
    """Write the prompts of a study, the levels of their factors, and what became of each sentence and branch.

    Args:
        study: says which of the three ways its prompts come.
        connection: its build file, open for writing, with its sentences scraped.
        run_context: for methods and replacements that an engine is asked for.

    Returns:
        Counts; the rows are in raw.prompts, raw.prompt_factors, raw.normalised_levels and the tables of OF_LOGS.

    Raises:
        SourceError: a prompt has no level of the declared unit, the import cannot be read, levels cannot be
            derived, the judge of branches cannot tell bad pairs from good ones, or an engine writes no items.
        OfflineError: an engine would have to be asked, and the run context does not allow it.
        ProviderError: an engine cannot answer at all.
        StudyError: prompts or the levels of a factor are too many, or root prompts too few for the looks, or others
            than earlier looks were planned with.
    """
    started = time.perf_counter()
    prompts_spec = study.prompts
    if prompts_spec.scrape is not None:
        assembled = _from_sentences(study, prompts_spec.scrape, connection, run_context)
    elif prompts_spec.templates is not None:
        assembled = _from_templates(study, prompts_spec.templates)
    else:
        imported = read_import(study)
        factors = pd.concat([imported.prompt_factors, derived_factors(imported.prompts)], ignore_index=True)
        tables = PromptTables(imported.prompts, factors)
        assembled = _Assembled(
            tables,
            Counter(),
            imported.quarantine,
            n_unpaired=imported.n_unpaired,
            normalised=imported.normalised,
            of_logs={
                "imported_metrics": imported.metrics,
                "imported_samples": imported.samples,
                "imported_sample_parts": imported.sample_parts,
            },
        )
    notes = [*assembled.notes, *repeated_text_notes(assembled.tables.prompts)]
    if run_context is not None:
        for note in notes:
            run_context.progress.say(note)
    require_controls(study, assembled.tables.prompts)
    tables = with_shared_levels(with_derived_levels(study, assembled.tables))
    tables, looks = _of_look(study, tables, run_context)
    prompts = _with_units(study, tables)
    require_askable(len(prompts), study.systems)
    groups = tables.prompt_factors[tables.prompt_factors["factor"].isin(_grouping(study))]
    n_levels = groups.groupby("factor")["level"].nunique()
    require_few_levels({str(factor): int(n) for factor, n in n_levels.items()})
    outcomes = pd.DataFrame(assembled.outcomes, columns=list(SentenceOutcome._fields))
    tables_by_name = {
        "prompts": prompts,
        "prompt_factors": tables.prompt_factors,
        "normalised_levels": assembled.normalised,
        "sentence_outcomes": outcomes,
        "planted_pairs": assembled.planted_pairs,
        "branch_outcomes": pd.DataFrame(assembled.branches, columns=list(BranchOutcome._fields)),
        "looks": looks,
        "negative_controls": _controls(study, assembled.control_branch),
        **{name: assembled.of_logs.get(name, pd.DataFrame(columns=columns_of(name))) for name in OF_LOGS},
    }
    write_stage(connection, study.study_id, "assemble", tables_by_name, assembled.quarantine)
    return AssembleCounts(
        n_prompts=len(prompts),
        n_root_prompts=int(prompts["root_prompt_id"].nunique()),
        n_dropped=dict(sorted(assembled.n_dropped.items())),
        n_quarantined=len(assembled.quarantine),
        n_replacements=dict(assembled.n_replacements),
        n_unpaired=assembled.n_unpaired,
        n_normalised=len(assembled.normalised),
        **portable_counts(assembled.outcomes)._asdict(),
        notes=notes,
        seconds=time.perf_counter() - started,
    )


def _controls(study: Study, branch: str | None) -> pd.DataFrame:
    rows = [] if study.negative_controls is None else study.negative_controls.rows
    columns = columns_of("negative_controls")
    return pd.DataFrame(rows, columns=[name for name in columns if name != "branch"]).assign(branch=branch)


def _grouping(study: Study) -> set[str]:
    """The factors whose levels are groups, those of units left out."""
    return {factor for grouping in study.groupings for factor in grouping} - {study.unit, *study.prompts.units}


def _of_look(study: Study, tables: PromptTables, run_context: RunContext | None) -> tuple[PromptTables, pd.DataFrame]:
    """The prompts of the look that is asked and of those before it, and the rows of raw.looks."""
    if run_context is None or run_context.look is None:
        return tables, pd.DataFrame(columns=columns_of("looks"))
    roots = [str(root) for root in tables.prompts["root_prompt_id"].unique()]
    require_same_prompts(study, run_context.home, roots)
    look = by_look(study, roots)
    prompts = tables.prompts[tables.prompts["root_prompt_id"].map(look) <= run_context.look]
    factors = tables.prompt_factors
    counts = look.value_counts().sort_index().cumsum()
    looks = pd.DataFrame({"look": counts.index, "n_root_prompts": counts.to_numpy()}).assign(
        share=counts.to_numpy() / len(roots),
        is_asked=counts.index <= run_context.look,
        prompts_sha256=prompts_sha256(roots),
    )
    return (
        PromptTables(
            prompts.reset_index(drop=True),
            factors[factors["prompt_id"].isin(prompts["prompt_id"])].reset_index(drop=True),
        ),
        looks,
    )


def _from_templates(study: Study, spec: Templates) -> _Assembled:
    made = prompts_from_templates(study, spec)
    with_edits = with_controls(study, made.prompts)
    unique, quarantine = _without_duplicates(with_edits.prompts)
    n_dropped = +Counter({"not_sampled": made.n_not_sampled, SAME_TEXT: len(made.same_as)})
    notes = [same_text_note(made.same_as)] if made.same_as else []
    notes += with_edits.notes
    return _Assembled(prompt_tables(unique), n_dropped, quarantine, control_branch=with_edits.branch, notes=notes)


def _from_sentences(
    study: Study, scrape: Scrape, connection: duckdb.DuckDBPyConnection, run_context: RunContext | None
) -> _Assembled:
    made = prompts_from_sentences(study, scrape, connection, run_context)
    with_edits = with_controls(study, made.prompts)
    unique, quarantine = _without_duplicates(with_edits.prompts)
    note = None if study.prompts.branch is None else portability_note(made.outcomes, study)
    return _Assembled(
        prompt_tables(unique),
        made.n_dropped,
        [*made.quarantine, *quarantine],
        made.n_replacements,
        outcomes=made.outcomes,
        planted_pairs=NONE_PLANTED if made.trial is None else made.trial.rows,
        branches=made.branches,
        control_branch=with_edits.branch,
        notes=[*made.notes, *([] if note is None else [note]), *with_edits.notes],
    )


def _without_duplicates(prompts: list[AssembledPrompt]) -> tuple[list[AssembledPrompt], list[Quarantined]]:
    unique: dict[str, AssembledPrompt] = {}
    quarantine = []
    for prompt in prompts:
        if prompt.prompt_id in unique:
            detail = f"assemble: the prompt id {prompt.prompt_id!r} is taken by an earlier prompt"
            quarantine.append(Quarantined(prompt.prompt_id, "duplicate_key", detail, prompt.prompt_text))
        else:
            unique[prompt.prompt_id] = prompt
    return list(unique.values()), quarantine


def _with_units(study: Study, tables: PromptTables) -> pd.DataFrame:
    """Prompts with the level of the factor that is the declared unit as their unit, else as they came."""
    prompts = tables.prompts
    if study.unit in (None, ROOT_PROMPT):
        return prompts
    unit_levels = tables.prompt_factors[tables.prompt_factors["factor"] == study.unit]
    unit_id = prompts["prompt_id"].map(unit_levels.set_index("prompt_id")["level"])
    is_of_root = unit_id.isna() & prompts["negative_control"].notna()  # of the units of its root prompt it is none
    unit_factor = pd.Series(study.unit, index=prompts.index, dtype="str").mask(is_of_root)
    unit_id = unit_id.mask(is_of_root, prompts["root_prompt_id"])
    if unit_id.isna().any():
        got = f"the prompt {prompts['prompt_id'][unit_id.isna()].iloc[0]!r} without a level of {study.unit}"
        remedy = "add it, or declare another unit"
        raise SourceError((study.path, "unit"), got, "one on every prompt", remedy)
    return prompts.assign(unit_id=unit_id, unit_factor=unit_factor)
