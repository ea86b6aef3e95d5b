"""The stage: every measure of a study over its responses and baseline texts, into the raw tables."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd

from python_assets.embeddings.cache import ScoreCache
from python_assets.extract.annotations import with_annotations
from python_assets.extract.baseline import against_systems
from python_assets.extract.classifiers.probes import require_probed
from python_assets.extract.column import Imported, keyed_rows
from python_assets.extract.ground_truth import truth_rows
from python_assets.extract.job import Job, Read
from python_assets.extract.measurement_rows import as_kind, given, measurement_rows, stacked
from python_assets.extract.measures import Measure, has_reading_as_written, reads_neutral_words, resolve_measures
from python_assets.extract.neutral_reading import as_written, changed, neutral, with_neutral_texts
from python_assets.extract.other_language import read_other_language
from python_assets.extract.readers import MEASURE_READERS
from python_assets.extract.scorers.scorers import scorer_rows
from python_assets.extract.scoring import TextScores
from python_assets.extract.units import NEUTRAL_ID, Ids, TextUnits, read_units, units_in_slices
from python_assets.importers.formats import forget_import, read_import
from python_assets.providers.refusal.study_words import study_words
from python_assets.study.study import Study
from python_assets.texts.group_words import group_words
from python_assets.warehouse.build import write_stage
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.raw_tables import columns_of
from python_assets.warehouse.run_context import RunContext
from python_assets.warehouse.workers import THIS_PROCESS


class ExtractCounts(NamedTuple):
    """What a run of the stage did.

    n_measures: measures; n_measurements: rows of raw.measurements; n_missing: rows with a reason instead of
    a value; n_texts: distinct responses and baseline texts; n_measured: texts measured now, once a method;
    n_cached: texts known from an earlier run, once a method; n_unusable_marks: replies of judges that name no
    option; n_quarantined: entries of the import that no measure can read; n_caches_rebuilt: caches that were
    damaged or foreign.
    """

    n_measures: int
    n_measurements: int
    n_missing: int
    n_texts: int
    n_measured: int
    n_cached: int
    n_unusable_marks: int
    n_quarantined: int
    n_caches_rebuilt: int


def extract(
    study: Study,
    connection: duckdb.DuckDBPyConnection,
    cache_path: Path | None,
    imported: Imported | None = None,
    run_context: RunContext | None = None,
) -> ExtractCounts:
    """Measure every response and every baseline text of a study.

    Args:
        study: the study.
        connection: its open build file, with raw.prompts, raw.prompt_factors, raw.systems and
            raw.responses.
        cache_path: the folder of caches; the study's own is one file in it. None keeps it in memory.
        imported: the table that the study imports; it is read where measures need it and it is not given.
        run_context: for measures that an engine marks.

    Returns:
        Counts; the rows are in raw.measures, raw.scorers and raw.measurements.

    Raises:
        StudyError: a measure, its function or its column cannot be what the study file says.
        ExtractionError: a model is missing, is not the one expected or fails its probe, or a function fails.
        WarehouseError: the cache cannot be written.
    """
    measures = resolve_measures(study)
    require_probed(study, measures)
    rows = _imported_rows(study, connection, measures, imported)
    forget_import()  # inference has no use for it, and needs the memory
    prompts = study.prompts
    progress, workers = (run_context.progress, run_context.workers) if run_context else (SILENT, THIS_PROCESS)
    units = read_units(connection, study.study_id, prompts.add_prompt, prompts.removes_prompt)
    named = group_words(study, connection)
    by_neutral_words = [measure for measure in measures if reads_neutral_words(measure, named.spelled)]
    if by_neutral_words:
        wanted = [_units_of(study, connection, units, measure) for measure in by_neutral_words]
        units = with_neutral_texts(study, connection, units, named, np.unique(np.concatenate(wanted)))
    with ScoreCache(Path(":memory:") if cache_path is None else cache_path / f"{study.study_id}.duckdb") as cache:
        text_scores = TextScores(units, cache, study.embedding, progress, workers)
        job = Job(
            study=study,
            measures=measures,
            units=units,
            wanted=np.arange(len(units.table)),
            text_scores=text_scores,
            connection=connection,
            imported=rows,
            run_context=run_context,
            words=study_words(study, connection),
            neutral_ids=frozenset(measure.measure_id for measure in by_neutral_words),
        )
        reads = list(_reads(job))
        plain = list(_as_written(job, reads))
        reads += filter(None, [read_other_language(job)])
        if study.baseline is not None:
            reads = against_systems(study, units, reads)
        reads += plain
        languages = text_scores.languages(units.column("said_id"))
        n_rebuilt = cache.n_rebuilt
    measurements = stacked(units, languages, [_rows(read) for read in reads])
    tables = {
        "measures": measure_rows([read.measure for read in reads]),
        "scorers": scorer_rows(reads),
        "measurements": measurements,
        "clusters": _cluster_rows(reads),
        **truth_rows(study, connection, _labels(reads)),
    }
    quarantine = [entry for read in reads for entry in read.quarantine]
    write_stage(connection, study.study_id, "extract", tables, quarantine)
    n_measured, n_cached = (
        getattr(text_scores, name) + getattr(text_scores.embeddings, name) for name in ("n_measured", "n_cached")
    )
    progress.say(f"{n_measured:,} scores and embeddings measured, {n_cached:,} known from earlier runs")
    return ExtractCounts(
        n_measures=len(reads),
        n_measurements=len(measurements),
        n_missing=int(measurements["reason"].notna().sum()),
        n_texts=units.n_measured,
        n_measured=n_measured,
        n_cached=n_cached,
        n_unusable_marks=sum(read.n_unusable for read in reads),
        n_quarantined=len(quarantine),
        n_caches_rebuilt=n_rebuilt,
    )


def _reads(job: Job) -> Iterator[Read]:
    """Every measure, those of one entry of the study file together: flags after texts, rules on other measures last."""
    read_so_far: dict[str, Read] = {}
    order = {"flags": 1, "when": 2}
    for together in sorted(_entries(job), key=lambda entry: order.get(entry[0].reads, 0)):
        first = together[0]
        wanted = _units_of(job.study, job.connection, job.units, first)
        entry_job = job._replace(measures=together, wanted=wanted, read=read_so_far, is_neutral=_is_neutral(job, first))
        read_so_far |= {read.measure.measure_id: read for read in _read_entry(entry_job)}
    yield from (read_so_far[measure.measure_id] for measure in job.measures)


def _entries(job: Job) -> list[list[Measure]]:
    return [list(entry) for _, entry in groupby(job.measures, key=lambda measure: id(measure.spec))]


def _is_neutral(job: Job, measure: Measure) -> bool:
    return NEUTRAL_ID in job.units.table and measure.measure_id in job.neutral_ids


def _read_entry(job: Job) -> list[Read]:
    reads = MEASURE_READERS[job.measure.reads](job)
    if job.is_neutral:
        reads = [neutral(read) for read in reads]
    return reads if job.measure.spec.annotation is None else with_annotations(job, reads)


def _as_written(job: Job, reads: Sequence[Read]) -> Iterator[Read]:
    """What measures that read neutral words make of the texts that these change."""
    read_by_measure = {read.measure.measure_id: read for read in reads}
    for together in _entries(job):
        first = together[0]
        if not _is_neutral(job, first):
            continue
        wanted = _units_of(job.study, job.connection, job.units, first)
        if len(new := changed(job.units, wanted, with_baseline=first.reads == "embeddings")):
            for plain in _read_entry(job._replace(measures=together, wanted=new)):
                if has_reading_as_written(plain.measure):
                    yield from as_written(job.units, read_by_measure[plain.measure.measure_id], plain)


def _labels(reads: Sequence[Read]) -> dict[str, list[str]]:
    """The labels that responses got, by measure, where they are held against a ground truth."""
    return {
        read.measure.measure_id: sorted(set(read.values.label[given(read.values.label)]))
        for read in reads
        if read.measure.spec.ground_truth is not None and read.measure.kind == "categorical"
    }


def _rows(read: Read) -> pd.DataFrame:
    return measurement_rows(read.measure, read.version, as_kind(read.measure, read.values))


def _cluster_rows(reads: Sequence[Read]) -> pd.DataFrame:
    tables = [read.clusters for read in reads if read.clusters is not None]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _units_of(study: Study, connection: duckdb.DuckDBPyConnection, units: TextUnits, measure: Measure) -> Ids:
    """The units in the slices of a measure; one without slices has rows for all of them."""
    if not measure.slices:
        return np.arange(len(units.table))
    conditions = [study.slice_condition(name) for name in measure.slices]
    return units_in_slices(connection, study.study_id, units, conditions)


def measure_rows(measures: list[Measure]) -> pd.DataFrame:
    """The rows of raw.measures."""
    columns = columns_of("measures")
    return pd.DataFrame([[getattr(m, name) for name in columns] for m in measures], columns=columns)


def _imported_rows(
    study: Study, connection: duckdb.DuckDBPyConnection, measures: list[Measure], imported: Imported | None
) -> pd.DataFrame | None:
    if not any(measure.spec.imported_columns for measure in measures):
        return None
    if imported is None:
        imported = read_import(study)
    query = "select system_id from raw.systems where study_id = ? and provider = 'replay'"
    replayed = [name for (name,) in connection.execute(query, [study.study_id]).fetchall()]
    return keyed_rows(imported, replayed)
