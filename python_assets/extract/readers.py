"""How each kind of measure reads the units: texts, flags, embeddings or a column of the import."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.extract.classifiers.classifiers import ModelAbsentError
from python_assets.extract.classifiers.probes import probed, recipes_of
from python_assets.extract.classifiers.simulated_classifier import simulated_method
from python_assets.extract.classifiers.study_classifiers import classifier_of
from python_assets.extract.column import column_values, column_versions, unlabelled
from python_assets.extract.deviation import read_deviation
from python_assets.extract.job import Job, Read, following_values
from python_assets.extract.judges.judge import read_judge
from python_assets.extract.judges.judged_labels import with_judged_labels
from python_assets.extract.judges.marking import measured_by
from python_assets.extract.labels.whole_answers import is_choice
from python_assets.extract.measurement_rows import MeasuredValues, Objects, given, no_numbers, nothing, only_where
from python_assets.extract.measures import Measure
from python_assets.extract.option_probability import read_option_probability
from python_assets.extract.row_function import read_row_function
from python_assets.extract.scorer import ModelMethod, Recipe, scorers
from python_assets.extract.scoring import text_method
from python_assets.extract.similarity.clusters import read_clusters
from python_assets.extract.similarity.distance import read_distances
from python_assets.extract.similarity.prototypes import read_prototypes
from python_assets.extract.similarity.taxonomy import read_taxonomy
from python_assets.extract.trained.trained_on_labels import read_trained
from python_assets.providers.judged_refusals import refusal_judge_version
from python_assets.providers.records import FLAGS
from python_assets.providers.refusal.outcome import is_decision
from python_assets.study.measures import CHOOSING, MeasureSpec


def _read_texts(job: Job) -> list[Read]:
    """A score of every text; of labels also how often there was none."""
    method = text_method(job.measure, job.study, job.words)
    n = len(job.wanted)
    scores = job.text_scores.scores(method, np.concatenate([job.text_ids(), job.baseline_ids()]))
    labelled = _Labelled(scores.iloc[:n], job.measures, method.version)
    if job.measure.spec.engine is not None:
        labelled = _judged(job, labelled)
    unit_scores, base, reasons = labelled.scores, scores.iloc[n:], job.reasons()
    values = MeasuredValues(
        units=job.wanted,
        value=unit_scores["value"].to_numpy(dtype=float),
        baseline_value=base["value"].to_numpy(dtype=float),
        label=_none_for_null(unit_scores["label"]),
        label_method=_none_for_null(unit_scores["label_method"]),
        reason=np.where(given(reasons), reasons, _none_for_null(unit_scores["reason"])),
    )
    first, *others = labelled.measures
    endings = [Read(measure, following_values(job, measure, values), labelled.version) for measure in others]
    return [Read(first, values, labelled.version, n_unusable=labelled.n_unusable), *endings]


class _Labelled(NamedTuple):
    """Scores of the wanted units, the measures they are of, and what read them."""

    scores: pd.DataFrame
    measures: Sequence[Measure]
    version: str
    n_unusable: int = 0


def _judged(job: Job, found: _Labelled) -> _Labelled:
    judged = with_judged_labels(job, found.scores, job.text_ids())
    measures = [measured_by(job, measure) for measure in found.measures]
    return _Labelled(judged.scores, measures, f"{found.version}; {judged.version}", judged.n_unusable)


def _none_for_null(column: pd.Series) -> Objects:
    return only_where(column.notna().to_numpy(), column.to_numpy(dtype=object))


def _read_classifier(job: Job) -> list[Read]:
    """Every score of a classifier, which reads each text once."""
    recipes = recipes_of(job.measures)
    labels = list(dict.fromkeys(label for recipe in recipes for label in recipe.weights))
    method = _classifier(job, labels)
    both = job.text_scores.label_scores(method.method, np.concatenate([job.text_ids(), job.baseline_ids()]))
    return [
        _of_recipe(job, method, measure, recipe, both) for measure, recipe in zip(job.measures, recipes, strict=True)
    ]


class _ClassifierMethod(NamedTuple):
    """What reads the texts of a classifier's measures, and what raw.measures says of it."""

    method: ModelMethod
    scorer: str
    model: str
    revision: str | None


def _classifier(job: Job, labels: Sequence[str]) -> _ClassifierMethod:
    """The model, or simulated scores where the study is simulated and the model is absent."""
    named = str(job.measure.model)
    try:
        classifier = classifier_of(job.study, job.measure)
    except ModelAbsentError:
        if not job.study.has_stand_in:
            raise
        return _ClassifierMethod(simulated_method(named, labels), f"simulated {job.measure.scorer}", "simulated", None)
    return _ClassifierMethod(classifier.method(labels), job.measure.scorer, named, classifier.revision)


def _of_recipe(job: Job, found: _ClassifierMethod, measure: Measure, recipe: Recipe, both: NDArray[np.float64]) -> Read:
    columns = [found.method.labels.index(label) for label in recipe.weights]
    scores = recipe.constant + both[:, columns] @ np.array(list(recipe.weights.values()))
    n = len(job.wanted)
    reason = job.reasons()
    reason[~given(reason) & np.isnan(scores[:n])] = "classifier_failed"
    values = MeasuredValues(
        units=job.wanted,
        value=scores[:n],
        baseline_value=scores[n:],
        label=nothing(n),
        label_method=nothing(n),
        reason=reason,
    )
    read = measure._replace(scorer=found.scorer, model=found.model, model_revision=found.revision)
    if found.revision is not None:  # a simulated one has no labels that could be turned
        read = read._replace(parameters=";".join(filter(None, [measure.parameters, f"probe={probed(measure)}"])))
    return Read(read, values, found.method.version)


def _read_flags(job: Job) -> list[Read]:
    """Of responses only: a baseline text has no flags. What the server itself declined is so in any language."""
    built = scorers[str(job.measure.spec.scorer)]
    responses = job.only_responses()
    table = job.units.table.iloc[responses.wanted]
    numbers = built.function({flag: table[flag].to_numpy(dtype=float, na_value=np.nan) for flag in FLAGS})
    n = len(table)
    said_ids = responses.units.column("said_id")[responses.wanted]
    is_declined = table["is_declined"].fillna(False).to_numpy(dtype=bool)
    is_foreign = (said_ids >= 0) & ~is_declined & (responses.in_languages(said_ids) < 0)
    # a text without a letter, or JSON that says nothing
    is_unreadable = np.isnan(numbers) & table["is_empty"].eq(False).to_numpy(dtype=bool, na_value=False)
    is_answer, chosen_by = _is_answer(responses, is_foreign | is_unreadable)
    numbers[is_answer] = 0.0
    is_foreign &= ~is_answer
    reason = only_where(np.isnan(numbers), responses.reasons_without_text())
    reason[is_unreadable & ~is_answer] = "no_rule_matched"
    reason[is_foreign] = "other_language"
    values = MeasuredValues(
        units=responses.wanted,
        value=np.where(is_foreign, np.nan, numbers),
        baseline_value=no_numbers(n),
        label=nothing(n),
        label_method=nothing(n),
        reason=reason,
    )
    if (engine := job.measure.spec.engine) is not None:
        return [Read(measured_by(job, job.measure), values, refusal_judge_version(job.study, engine))]
    return [Read(job.measure, values, "; ".join([built.version(), *_version_of_choices(chosen_by)]))]


def _is_answer(responses: Job, is_open: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], list[MeasureSpec]]:
    """Which responses that no rule for refusals reads are answers all the same: a choice and nothing else.

    That is a decision that the prompt asks for, or a choice of a measure, in its spelling, that this read off it.

    Args:
        responses: what flags are read of.
        is_open: which are in another language, by their words or those of their prompt, or say nothing.

    Returns:
        Which; and the measures whose choices told some of them that are no decision.
    """
    units, wanted = responses.units, responses.wanted
    text_ids, asked_ids = units.column("text_id")[wanted], units.column("asked_id")[wanted]
    # what was refused has no text that others read
    open_rows = np.flatnonzero(is_open & (text_ids >= 0))
    codes, pairs = pd.MultiIndex.from_arrays([text_ids[open_rows], asked_ids[open_rows]]).factorize()
    texts = [*units.texts, ""]  # -1, no prompt, takes the last

    def read_as(is_answer: Callable[[str, str], bool]) -> NDArray[np.bool_]:
        by_pair = [is_answer(texts[text_id], texts[prompt_id]) for text_id, prompt_id in pairs]
        return np.array(by_pair, dtype=bool)[codes]

    is_read = read_as(lambda text, prompt: is_decision(text, prompt, responses.words))
    chosen_by = []
    for read in responses.read.values():
        spec = read.measure.spec
        if spec.method in CHOOSING and given(read.values.label).any():
            is_labelled = np.zeros(len(units.table), dtype=bool)
            is_labelled[read.values.units] = given(read.values.label)
            is_chosen = is_labelled[wanted[open_rows]] & read_as(partial(is_choice, spec=spec))
            if (is_chosen & ~is_read).any():
                chosen_by.append(spec)
            is_read |= is_chosen
    is_answer = np.zeros(len(wanted), dtype=bool)
    is_answer[open_rows] = is_read
    return is_answer, chosen_by


def _version_of_choices(chosen_by: Sequence[MeasureSpec]) -> list[str]:
    """A part of a version for the choices that outcomes depend on; none where they depend on none."""
    if not chosen_by:
        return []
    rules = sorted(spec.model_dump_json(include=set(CHOOSING)) for spec in chosen_by)
    return [f"choices {hashlib.sha256(json.dumps(rules).encode()).hexdigest()[:16]}"]


def _read_column(job: Job) -> list[Read]:
    if job.imported is None:
        raise ValueError(f"measure {job.measure.measure_id} needs the imported table")
    values, quarantine = column_values(job.measure, job.study, job.units, job.wanted, job.imported)
    versions = column_versions(job.measure, job.study, job.units, values.units, job.imported)
    without = [Read(measure, unlabelled(values, job.units, job.imported), versions) for measure in job.measures[1:]]
    return [Read(job.measure, values, versions, quarantine), *without]


# A reader takes one entry of `measures` and gives a Read for each of job.measures, in their order;
# Measure.reads names it.
MEASURE_READERS: Final[Mapping[str, Callable[[Job], list[Read]]]] = {
    "text": _read_texts,
    "classifier": _read_classifier,
    "judge": read_judge,
    "flags": _read_flags,
    "embeddings": read_distances,
    "clusters": read_clusters,
    "column": _read_column,
    "row": read_row_function,
    "when": read_deviation,
    "options": read_option_probability,
    "prototypes": read_prototypes,
    "taxonomy": read_taxonomy,
    "trained": read_trained,
}
