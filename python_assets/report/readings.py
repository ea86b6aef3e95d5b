"""What read a label, and what is known of how rightly it reads answers of the models that are compared, in words.

Belongs here: the sentence beside a difference between models, for findings, comparisons and the gate, and the section
of the report on how far the measuring can be trusted, with what the judge of branches found.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from python_assets.report.reader import Reader, Row
from python_assets.report.text import interval, number, share, shortened
from python_assets.study.measures import REFUSAL

LABELS: Final = ("binary", "categorical")
OTHER: Final = "other"
_NAMES: Final = {OTHER: "models of no known family"}
MOST_OF_VERSION: Final = 40
_MAX_ROWS: Final = 8  # of a measure
_OLDER: Final = " (an older version)"
_STANCES: Final = "An answer that argues against the premise refuses nothing."
_UNKNOWN: Final = {
    "judge_not_measured": "how rightly it marks was not measured",
    "read_by_import": "how rightly is not known here",
    "not_validated": "how rightly was not measured",
}
OF_MODELS: Final = """
    select distinct v_scorers.*
    from v_scorers
    inner join systems using (study_id, model_family)
    where study_id = $study and measure_id = $measure_id and list_contains($systems, system_id)
    order by v_scorers.model_family
"""
_SCORERS: Final = """
    select scorers.*, reasons.meaning,
        exists (
            from systems
            where systems.study_id = scorers.study_id
                and systems.model_family = scorers.model_family
                and not is_baseline and not is_engine
        ) as is_of_study
    from scorers
    left join reasons using (reason)
    where scorers.study_id = $study and reason is distinct from 'nothing_read'
    order by measure_id, material = 'phrasings of our own', model_family <> '', n_positive desc nulls last, source,
        language
"""
FAULTS: Final = {
    "same_meaning": "it asks something else",
    "grammatical": "it is not correct language",
    "no_source_fact": "it says what is so of the source alone",
    "sounds_natural": "nobody would write it so",
    "none": "nothing: a good pair",
}
"""What is wrong with a planted pair, by the question that it fails, in the order of the questions."""
_JUDGES: Final = """
    select pair_judges.*, systems.model,
        sum(n_pairs) filter (where fault <> 'none') over of_judge as n_bad,
        sum(n_refused) filter (where fault <> 'none') over of_judge as n_found,
        sum(n_pairs) filter (where fault = 'none') over of_judge as n_good,
        sum(n_refused) filter (where fault = 'none') over of_judge as n_wrongly
    from pair_judges
    left join systems using (study_id, system_id)
    where pair_judges.study_id = $study
    window of_judge as (partition by system_id)
    order by system_id, list_position($faults, fault)
"""


class BranchJudge(NamedTuple):
    """A judge of branches, and what it said of planted pairs, a row a fault; total: the sums of bad and good ones."""

    system_id: str
    total: Row
    rows: list[Row]


class Measured(NamedTuple):
    """A measure with what reads it, and what was shown of it; rows are empty where nothing was."""

    measure_id: str
    reader: str
    probe: str | None
    rows: list[Row]
    why: str


def read_by(rows: Sequence[Mapping[str, Any]]) -> str:
    """What read a label and what is known of it for the models that differ; '' of a measure that is no label.

    Args:
        rows: of int_scorer_families or v_scorers, one measure, a row a family of models.
    """
    if not rows or rows[0]["kind"] not in LABELS or rows[0]["reason"] == "nothing_read":
        return ""
    first, reader = rows[0], reader_of(rows[0])
    if first["reason"] in _UNKNOWN:
        return f"Read by {reader}: {_UNKNOWN[first['reason']]}."
    ordered = sorted(rows, key=lambda row: (row["recall_low"] is None, row["model_family"]))
    ranges = [
        f"{_range(row['recall_low'], row['recall_high'])} for {_family(row)}{'' if row['is_current'] else _OLDER}"
        for row in ordered
        if row["recall_low"] is not None
    ]
    unknown = [_family(row) for row in ordered if row["recall_low"] is None]
    clauses = [f"of what it looks for it found {', '.join(ranges)} in real answers" if ranges else ""]
    clauses.append(f"it was not tried on {' and '.join(unknown)}" if unknown else "")
    sentence = f"Read by {reader}: {'; '.join(filter(None, clauses))}. What it misses differs between models as well."
    return f"{sentence} {_STANCES}" if first["scorer"] == REFUSAL else sentence


def reader_of(row: Mapping[str, Any]) -> str:
    """What reads a measure: its extractor, the labels it reads by, the model, the version."""
    version = shortened(row["scorer_version"], MOST_OF_VERSION)
    named = " ".join(filter(None, (row["scorer"], row["label_set"])))
    model = f" by {row['model']}" if row["model"] else ""
    return f"{named}{model} ({version})" if version else f"{named}{model}"


def _family(row: Mapping[str, Any]) -> str:
    return _NAMES.get(row["model_family"], row["model_family"])


def _range(low: float, high: float) -> str:
    return number(low) if high - low < 0.005 else f"{number(low)} to {number(high)}"


def read_by_of(reader: Reader, measure_id: str, systems: Sequence[str]) -> str:
    """The sentence beside a difference between generations; '' where their models are of one name.

    Args:
        reader: the study.
        measure_id: what differs.
        systems: which are compared.
    """
    models = reader.rows(
        "select count(distinct model) as n from systems where study_id = $study and list_contains($systems, system_id)",
        systems=list(systems),
    )
    if models[0]["n"] < 2:
        return ""
    return read_by(reader.rows(OF_MODELS, measure_id=measure_id, systems=list(systems)))


def readings_section(reader: Reader) -> list[Measured]:
    """Each measure that is read, what was shown of it: of all models and of the families that answer here.

    Args:
        reader: the study.
    """
    measured = []
    for measure_id, measure_rows in groupby(reader.rows(_SCORERS), key=lambda row: row["measure_id"]):
        rows = list(measure_rows)
        shown = [row for row in rows if row["material"] and not row["topic"] and _is_told(row)]
        why = "" if shown else _meaning(rows[0])
        measured.append(
            Measured(measure_id, reader_of(rows[0]), rows[0]["probe"], [_told(row) for row in shown[:_MAX_ROWS]], why)
        )
    return measured


def judges_section(reader: Reader) -> list[BranchJudge]:
    """What each judge of branches found among pairs whose verdict is known; none where no engine judges.

    Args:
        reader: the study.
    """
    judges = groupby(reader.rows(_JUDGES, faults=list(FAULTS)), key=lambda row: row["system_id"])
    return [
        BranchJudge(judge, rows[0], rows) for judge, rows in ((name, list(judge_rows)) for name, judge_rows in judges)
    ]


def _is_told(row: Row) -> bool:
    return not row["model_family"] or row["is_of_study"]


def _meaning(row: Row) -> str:
    """Why nothing is known, without the kind of number that the reason is of."""
    return str(row["meaning"] or row["reason"]).partition(": ")[2]


def _told(row: Row) -> Row:
    return {
        **row,
        **{name: _share_of(row, name) for name in ("recall", "precision", "kappa")},
        "of": row["model_family"] or "all models",
    }


def _share_of(row: Row, name: str) -> str:
    value = row[name]
    if value is None:
        return "–"
    write = number if name == "kappa" else share
    limits = interval(row[f"{name}_low"], row[f"{name}_high"], write) if row[f"{name}_low"] is not None else ""
    return f"{write(value)} {limits}".strip()
