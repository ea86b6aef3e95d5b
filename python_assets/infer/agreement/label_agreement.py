"""inference.label_agreement: people's labels beside what a measure reads, and people beside each other.

Belongs here: which answers and coders are compared. It describes: no question is asked, and no p belongs to it.

Source: inference.md 9.6.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from python_assets.infer.agreement.coefficients import (
    NO_READING,
    NOT_BINARY,
    NUMBERS,
    SEVERAL_RATERS,
    AgreementEstimate,
    CodedAnswers,
    cohens_kappa,
    krippendorffs_alpha,
    of_both,
    share_right,
)
from python_assets.infer.agreement.people import CONTINUOUS, codes_of, people_say
from python_assets.infer.draws.exchange import Floats
from python_assets.infer.tables import Columns, write_tables
from python_assets.study.base import NONE_FITS, UNDECIDED, UNSCORED

PEOPLE_AND_READING: Final = "people_and_reading"
RATER_AND_READING: Final = "rater_and_reading"
_RATERS: Final = "raters"
TWO_RATERS: Final = "two_raters"
ALL: Final = "all"
_KEYS: Final = (
    *("study_id", "measure_id", "slice_id", "system_id", "model_family", "grouping_id", "group_id"),
    *("comparison", "rater", "other_rater"),
)
_COUNTS: Final = ("n", "n_root_prompts", "n_raters", "n_automatic", "n_positive", "n_ties", "n_unscored")
ESTIMATES: Final = ("agreement", "kappa", "alpha", "sensitivity", "specificity", "precision")
_TABLES: Final[Columns] = {
    "label_agreement": dict.fromkeys(_KEYS, "varchar not null")
    | {name: "bigint" if name == "n_positive" else "bigint not null" for name in _COUNTS}
    | {
        f"{name}{end}": "varchar" if end == "_reason" else "double"
        for name in ESTIMATES
        for end in ("", "_low", "_high", "_reason")
    }
}
_LABELS: Final = """
    select
        labels.measure_id, measures.kind, labels.rater, labels.is_automatic, labels.label, labels.value,
        system_id, prompt_id, replicate, prompts.root_prompt_id, systems.model_family, systems.is_baseline,
        measurements.value as read_value,
        case when beside.value = 1 then $none else measurements.label end as read_label
    from raw.human_labels as labels
    join raw.measures as measures using (study_id, measure_id)
    join raw.responses using (study_id, response_id)
    join raw.prompts as prompts using (study_id, prompt_id)
    join raw.systems as systems using (study_id, system_id)
    left join raw.measurements as measurements using (study_id, system_id, prompt_id, replicate, measure_id)
    left join raw.measurements as beside
        on list_contains([labels.measure_id || ending for ending in $endings], beside.measure_id) and beside.value = 1
        and (beside.study_id, beside.system_id, beside.prompt_id, beside.replicate)
        = (labels.study_id, system_id, prompt_id, replicate)
    where coalesce(cast(labels.value as varchar), labels.label) is not null and labels.reason is null
    order by measure_id, system_id, prompt_id, replicate, rater
"""
_PLACES: Final = """
    select slice_id, '' as grouping_id, '' as group_id, prompt_id
    from intermediate.int_prompt_slices where negative_control is null
    union all
    select slice_id, grouping_id, group_id, prompt_id from intermediate.int_prompt_groups
    order by all
"""
_ANSWER: Final = ["system_id", "prompt_id", "replicate"]
_SLICES: Final = "select slice_id from raw.measure_slices where measure_id = ?"
Chosen = NDArray[np.bool_]


class AgreementCounts(NamedTuple):
    """Labelled answers of all measures, and rows written."""

    n_labelled: int
    n_label_agreement: int


class LabelledMeasure(NamedTuple):
    """The labelled answers of one measure.

    answers: one row each: system_id, model_family, is_baseline, prompt_id, root_prompt_id. raters: their names.
    are_automatic: which of them are programs.
    given, people: what each rater and all together say of them, as People has it. read: what the measure read, as
    codes. is_binary, are_labels: by the kind of the measure.
    """

    answers: pd.DataFrame
    raters: Sequence[str]
    are_automatic: Chosen
    given: Floats
    read: Floats
    people: Floats
    is_binary: bool
    are_labels: bool


def infer_agreement(connection: duckdb.DuckDBPyConnection, level: float, seed: int) -> AgreementCounts:
    """Write inference.label_agreement.

    Args:
        connection: to the build file of one study, with its labels and after SQL has made schema intermediate.
        level: intervals are 1 - level.
        seed: of the study.

    Returns:
        How many labelled answers there are and how many rows came of it.
    """
    labels = connection.execute(_LABELS, {"none": NONE_FITS, "endings": [UNSCORED, UNDECIDED]}).df()
    places = connection.execute(_PLACES).df() if len(labels) else pd.DataFrame()
    study_id = connection.execute("select min(study_id) from raw.prompts").fetchall()[0][0]
    rows: list[dict[str, Any]] = []
    n_labelled = 0
    for measure_id, measure_labels in labels.groupby("measure_id", sort=True):
        labelled = labelled_answers(measure_labels)
        n_labelled += len(labelled.answers)
        # all its labels together too, of a measure that is asked in some slices alone
        slices = [ALL, *(name for (name,) in connection.execute(_SLICES, [measure_id]).fetchall())]
        keys = {"study_id": study_id, "measure_id": measure_id}
        rows += [{**keys, **row} for row in agreement_rows(labelled, places[places.slice_id.isin(slices)], level, seed)]
    table = pd.DataFrame(rows, columns=[*_TABLES["label_agreement"]])
    write_tables(connection, _TABLES, {"label_agreement": table})
    return AgreementCounts(n_labelled, len(rows))


def labelled_answers(labels: pd.DataFrame) -> LabelledMeasure:
    """The labels of one measure, one row an answer and rater, as codes."""
    kind = str(labels.kind.iloc[0])
    names = sorted({*labels.label.dropna(), *labels.read_label.dropna()})
    answer = labels.groupby(_ANSWER, sort=False).ngroup()  # some share a response_id
    people = people_say(labels, answer, kind, names)
    first = ~answer.duplicated()
    answer_columns = ["system_id", "model_family", "is_baseline", "prompt_id", "root_prompt_id"]
    return LabelledMeasure(
        answers=labels.loc[first, answer_columns].reset_index(drop=True),
        raters=people.raters,
        are_automatic=np.isin(people.raters, labels.rater[labels.is_automatic.to_numpy(dtype=bool)]),
        given=people.given,
        read=codes_of(labels.read_label[first], labels.read_value[first], kind, names),
        people=people.said,
        is_binary=kind == "binary",
        are_labels=kind != CONTINUOUS,
    )


def agreement_rows(
    labelled: LabelledMeasure, places: pd.DataFrame, level: float, seed: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one measure: every slice, generation and group that holds a labelled answer.

    Args:
        labelled: its labelled answers.
        places: prompts by slice_id, grouping_id and group_id; of all groups together both are ''.
        level: intervals are 1 - level.
        seed: of the study.
    """
    systems = [*_systems(labelled.answers)]
    for (slice_id, grouping_id, group_id), prompts in places.groupby(["slice_id", "grouping_id", "group_id"]):
        is_here = labelled.answers.prompt_id.isin(prompts.prompt_id).to_numpy()
        place_keys = {"slice_id": slice_id, "grouping_id": grouping_id, "group_id": group_id}
        is_whole = slice_id == ALL and grouping_id == ""
        for system_id, model_family, is_of in systems:
            chosen = is_here & is_of
            if chosen.any() and (is_whole or not model_family):
                system_keys = {"system_id": system_id, "model_family": model_family}
                for row in _compared(labelled, chosen, level, seed):
                    yield {**place_keys, **system_keys, **row}


def _systems(answers: pd.DataFrame) -> Iterator[tuple[str, str, Chosen]]:
    """All generations but the baseline, each of them, and those of each family of models, with their answers."""
    is_asked = ~answers.is_baseline.to_numpy(dtype=bool)
    yield ALL, "", is_asked
    for system_id in sorted(answers.system_id.unique()):
        yield system_id, "", (answers.system_id == system_id).to_numpy()
    for family in sorted({*answers.model_family[is_asked]} - {""}):
        yield ALL, family, is_asked & (answers.model_family == family).to_numpy()


def _compared(labelled: LabelledMeasure, chosen: Chosen, level: float, seed: int) -> Iterator[dict[str, Any]]:
    """Yield what the coders of some answers have in common, pair by pair, and all raters."""
    root_prompt = np.unique(labelled.answers.root_prompt_id[chosen], return_inverse=True)[1].astype(np.intp)
    read, people, given = labelled.read[chosen], labelled.people[chosen], labelled.given[chosen]

    present = [at for at in range(len(labelled.raters)) if not np.isnan(given[:, at]).all()]

    def row(comparison: str, codes: Sequence[Floats], *raters: int) -> dict[str, Any]:
        coded = CodedAnswers(np.column_stack(codes), root_prompt, labelled.are_labels)
        has_reading = comparison in (PEOPLE_AND_READING, RATER_AND_READING)
        estimates = _estimates(coded, level, seed, has_reading=has_reading, is_binary=labelled.is_binary)
        is_used = (~np.isnan(coded.codes)).sum(axis=1) >= 2
        by_people = ~np.isnan(coded.codes[:, 0])
        return {
            "comparison": comparison,
            "rater": labelled.raters[raters[0]] if raters else "",
            "other_rater": labelled.raters[raters[1]] if len(raters) > 1 else "",
            "n": int(is_used.sum()),
            "n_root_prompts": len(np.unique(root_prompt[is_used])),
            "n_raters": len(raters or present),
            "n_automatic": int(labelled.are_automatic[list(raters or present)].sum()),
            "n_positive": int((coded.codes[is_used, 0] == 1).sum()) if has_reading and labelled.is_binary else None,
            "n_ties": int(np.isnan(people).sum()) if comparison == PEOPLE_AND_READING else 0,
            "n_unscored": int((by_people & np.isnan(read)).sum()) if has_reading else 0,
            **_as_columns(estimates),
        }

    yield row(PEOPLE_AND_READING, [people, read])
    if len(present) < 2:
        return
    yield row(_RATERS, [given[:, at] for at in present])
    for position, at in enumerate(present):
        yield row(RATER_AND_READING, [given[:, at], read], at)
        for other in present[position + 1 :] if len(present) > 2 else []:
            yield row(TWO_RATERS, [given[:, at], given[:, other]], at, other)


def _estimates(
    coded: CodedAnswers, level: float, seed: int, *, has_reading: bool, is_binary: bool
) -> Mapping[str, AgreementEstimate]:
    """The coefficients of coders, people first and the reading last; shares of errors where both are marks."""
    why = NOT_BINARY if has_reading else NO_READING
    estimates = {name: AgreementEstimate(reason=why) for name in ("sensitivity", "specificity", "precision")}
    estimates["alpha"] = krippendorffs_alpha(coded, level, seed)
    if coded.codes.shape[1] > 2:
        return estimates | dict.fromkeys(("agreement", "kappa"), AgreementEstimate(reason=SEVERAL_RATERS))
    estimates["kappa"] = cohens_kappa(coded, level, seed)
    if not coded.are_labels:
        return estimates | {"agreement": AgreementEstimate(reason=NUMBERS)}
    both = of_both(coded)
    one, two = both.codes.T
    is_alike = (one == two).astype(np.float64)
    counted = {"agreement": np.ones_like(one)}
    if has_reading and is_binary:
        counted |= {"sensitivity": one, "specificity": 1 - one, "precision": two}
    shares = {
        name: share_right(is_alike, weight, both.root_prompt, both.n_root_prompts, level)
        for name, weight in counted.items()
    }
    return estimates | shares


def _as_columns(estimates: Mapping[str, AgreementEstimate]) -> dict[str, Any]:
    return {
        name if end == "value" else f"{name}_{end}": number
        for name in ESTIMATES
        for end, number in estimates[name]._asdict().items()
    }
