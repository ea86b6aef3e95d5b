"""The stage: sheets of a study that people filled in, into raw.human_labels and raw.pair_labels.

What a measure read stays as it is: labels stand beside it. Rows that say nothing of an answer of the study are in
quarantine, each with its row of the file and why.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple, cast

import duckdb
import numpy as np
import pandas as pd

from python_assets.errors import FieldPath
from python_assets.extract.measurement_rows import Objects, nothing
from python_assets.extract.measures import resolve_measures
from python_assets.labelling.allowed import ALLOWED_OF_PAIRS, Allowed, allowed_labels
from python_assets.labelling.pairs import PAIRS
from python_assets.labelling.row_ids import KEY, PAIR, RowId, row_key, split_row_id, text_key
from python_assets.labelling.sheets import (
    ANNOTATOR,
    ANSWER,
    FILE_ROW,
    LABEL,
    RESPONSE_ID,
    ROW_ID,
    SHEET_ROW,
    SHEET_TEXTS,
    read_sheet,
)
from python_assets.study.base import BASELINE
from python_assets.study.study import HumanLabels, PairLabels, Study, make_id
from python_assets.warehouse.build import Quarantined, write_stage

_STAGE: Final = "labels"
NOT_LABELLED: Final = "not_labelled"
NOT_A_LABEL: Final = "not_a_label"
CONTRADICT: Final = "labels_contradict"
_ROW_OF: Final = re.compile(r"^(\d+) of (\d+)$")
_SHOWN: Final = 80

_ANSWERS: Final = f"""
    select
        {KEY.format(study="study_id", of="$of", record="response_id")} as key,
        response_id,
        '' as root_prompt_id,
        any_value(response_text) as text
    from raw.responses
    where study_id = $study_id and system_id <> '{BASELINE}'
    group by study_id, response_id
"""
_NAMED: Final = f"""
    select system_id, prompt_id, replicate::varchar as replicate, response_id as named_response_id
    from raw.responses
    where study_id = ? and system_id <> '{BASELINE}'
"""
_PAIRS: Final = f"""
    select
        {KEY.format(study="$study_id", of="$of", record="prompt_id")} as key,
        prompt_id as response_id,
        root_prompt_id,
        concat_ws(chr(10), root_text, text) as text
    from ({PAIRS})
"""


class LabelCounts(NamedTuple):
    """What the stage read: labels of answers and of pairs, rows left blank, and records in quarantine."""

    n_labels: int
    n_pair_labels: int
    n_not_labelled: int
    n_quarantined: int


class _Sheet(NamedTuple):
    """One entry of the study file: what it is of (a measure, or PAIR), what may stand in it, and its rows."""

    of: str
    rater: str
    is_automatic: bool
    file: str
    allowed: Allowed
    rows: pd.DataFrame


def label_study(study: Study, connection: duckdb.DuckDBPyConnection) -> LabelCounts:
    """Read the sheets of a study beside its answers.

    Args:
        study: the study.
        connection: its open build file, with raw.prompts and raw.responses.

    Returns:
        Counts; the rows are in raw.human_labels and raw.pair_labels, what says nothing in raw.quarantine.

    Raises:
        SourceError: a sheet cannot be read.
        StudyError: it has no ids or no labels.
    """
    answer_labels, bad = _read(study, connection, _sheets(study), _ANSWERS)
    pair_labels, bad_pairs = _read(study, connection, _pair_sheets(study), _PAIRS)
    pairs = pair_labels.rename(columns={"response_id": "prompt_id"})
    tables = {
        "human_labels": answer_labels.rename(columns={"of": "measure_id"}).drop(columns="root_prompt_id"),
        "pair_labels": pairs.assign(is_minimal_pair=pairs["value"].eq(1).where(pairs["value"].notna())).drop(
            columns=["value", "of"]
        ),
    }
    quarantine = [*bad, *bad_pairs]
    write_stage(connection, study.study_id, _STAGE, tables, quarantine)
    n_blank = sum(int(rows["reason"].eq(NOT_LABELLED).sum()) for rows in tables.values())
    return LabelCounts(len(answer_labels), len(pair_labels), n_blank, len(quarantine))


def problems_of_answers(study: Study, connection: duckdb.DuckDBPyConnection) -> list[Quarantined]:
    """What the stage would set aside of human_labels, beside these answers.

    Args:
        study: the study.
        connection: to a database with raw.responses.
    """
    return _read(study, connection, _sheets(study), _ANSWERS)[1]


def sheet_of(study: Study, spec: PairLabels, field: FieldPath) -> pd.DataFrame:
    """The rows of an entry of human_labels or pair_labels; errors as of read_sheet."""
    return read_sheet(study.resolve(spec.file), (*field, "file"))


def _sheets(study: Study) -> list[_Sheet]:
    if not study.human_labels:
        return []
    measures = {measure.measure_id: measure for measure in resolve_measures(study)}
    sheets = []
    for index, spec in enumerate(study.human_labels):
        measure = measures[make_id(spec.measure)]
        sheets.append(_sheet(study, spec, ("human_labels", index), measure.measure_id, allowed_labels(measure)))
    return sheets


def _pair_sheets(study: Study) -> list[_Sheet]:
    return [
        _sheet(study, spec, ("pair_labels", index), PAIR, ALLOWED_OF_PAIRS)
        for index, spec in enumerate(study.pair_labels)
    ]


def _sheet(study: Study, spec: HumanLabels | PairLabels, field: FieldPath, of: str, allowed: Allowed) -> _Sheet:
    return _Sheet(of, spec.rater, spec.automatic, Path(spec.file).name, allowed, sheet_of(study, spec, field))


def _read(
    study: Study, connection: duckdb.DuckDBPyConnection, sheets: Sequence[_Sheet], records: str
) -> tuple[pd.DataFrame, list[Quarantined]]:
    """The labels of some sheets, one a record and rater, and what is wrong with their rows."""
    columns = ["of", "response_id", "root_prompt_id", "rater", "is_automatic"]
    columns += [LABEL, "value", "reason", "file_name", FILE_ROW]
    if not sheets:
        return pd.DataFrame(columns=columns), []
    rows = pd.concat([_matched(study, connection, sheet, records) for sheet in sheets], ignore_index=True)
    is_known = rows["problem"].isna() | rows["problem"].eq(NOT_A_LABEL)
    labels, doubled = _one_each(rows[is_known])
    return labels[columns], [*_told(rows[rows["problem"].notna()]), *_told(doubled), *_missing(rows)]


def _matched(study: Study, connection: duckdb.DuckDBPyConnection, sheet: _Sheet, records: str) -> pd.DataFrame:
    """Every row of a sheet with the record that it is of, what it says, and what is wrong with it."""
    rows = _keyed(study, sheet, connection)
    there = _records(connection, study.study_id, sheet.of, rows["key"], records)
    matched_rows = rows.merge(there, on="key", how="left")
    label_by_cell = {cell: sheet.allowed.read(cell) for cell in matched_rows[LABEL].dropna().unique()}
    given = [label_by_cell.get(cell) for cell in matched_rows[LABEL]]
    is_blank = matched_rows[LABEL].isna()
    is_no_label = ~is_blank & np.array([one is None for one in given], dtype=bool)
    reason = nothing(len(matched_rows))
    reason[is_blank], reason[is_no_label] = NOT_LABELLED, NOT_A_LABEL
    matched_rows = matched_rows.assign(
        value=pd.Series([None if one is None else one.value for one in given], dtype=float),
        written=matched_rows[LABEL],
        label=matched_rows[LABEL].map(lambda cell: cell if (one := label_by_cell.get(cell)) is None else one.label),
        reason=reason,
    )
    return matched_rows.assign(**_problems(study, sheet, matched_rows, is_no_label))


def _with_named_answers(study: Study, rows: pd.DataFrame, connection: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """Rows whose response_id is looked up where they name an answer by its generation, prompt and replicate."""
    if rows[list(ANSWER)].isna().all(axis=None):
        return rows.drop(columns=list(ANSWER))
    named = connection.execute(_NAMED, [study.study_id]).df()
    named_rows = rows.merge(named, on=list(ANSWER), how="left", validate="many_to_one")
    given = named_rows[RESPONSE_ID].where(named_rows[RESPONSE_ID].notna(), named_rows["named_response_id"])
    answers = given.where(given.notna(), None)
    return named_rows.assign(**{RESPONSE_ID: answers}).drop(columns=[*ANSWER, "named_response_id"])


def _keyed(study: Study, sheet: _Sheet, connection: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """The rows of a sheet with the key of their record and the keys of what was read and of what stands there."""
    rows = _with_named_answers(study, sheet.rows, connection)
    ids = [
        RowId(row_key(study.study_id, sheet.of, answer), "")
        if written is None and answer
        else split_row_id(written or "")
        for written, answer in zip(rows[ROW_ID], rows[RESPONSE_ID], strict=True)
    ]
    texts = rows[list(SHEET_TEXTS)].map(lambda text: text or "")
    shown = ["\n".join(filter(None, both)) for both in zip(texts["root_text"], texts["text"], strict=True)]
    raters = rows[ANNOTATOR]
    several = raters.nunique() > 1
    return rows.drop(columns=[RESPONSE_ID, *SHEET_TEXTS]).assign(
        of=sheet.of,
        # an export of Label Studio may be of several people
        rater=[f"{sheet.rater} {who}" if several and who else sheet.rater for who in raters],
        is_automatic=sheet.is_automatic,
        file_name=sheet.file,
        key=[one.key for one in ids],
        read=[one.text for one in ids],
        shown=[text_key(text) if text else "" for text in shown],
    )


def _records(
    connection: duckdb.DuckDBPyConnection, study_id: str, of: str, keys: pd.Series, records: str
) -> pd.DataFrame:
    """What the keys stand for, with the key of its text as it is now."""
    connection.register("label_keys", pd.DataFrame({"key": keys.unique()}, dtype=object))
    query = f"from ({records}) semi join label_keys using (key)"
    there = connection.execute(query, {"study_id": study_id, "of": of}).df()
    connection.unregister("label_keys")
    return there.assign(now=[text_key(text or "") for text in there["text"]]).drop(columns="text")


def _problems(study: Study, sheet: _Sheet, found: pd.DataFrame, is_no_label: pd.Series) -> dict[str, Objects]:
    """What is wrong with each row, the first thing that is, and in words."""
    is_read = found["read"].ne("")
    cases = {
        "another_study": (
            found["study"].notna() & found["study"].ne(study.study_id),
            f"it is of another study than {study.study_id}",
        ),
        "another_measure": (
            found["measure"].notna() & found["measure"].ne(sheet.of),
            f"it is of another measure than {sheet.of}",
        ),
        "unknown_row": (
            found["response_id"].isna(),
            f"no {'pair of prompts' if sheet.of == PAIR else 'answer'} has this id",
        ),
        "text_changed": (is_read & found["read"].ne(found["now"]), "the text is another than when the sheet was drawn"),
        "text_moved": (
            is_read & found["shown"].ne("") & found["shown"].ne(found["read"]),
            "the text beside the id is not the one that was drawn for it: rows were sorted in part, or it was edited",
        ),
        NOT_A_LABEL: (is_no_label, f"expected {sheet.allowed.text}"),
    }
    problem, detail = nothing(len(found)), nothing(len(found))
    for rule, (is_so, words) in reversed(cases.items()):
        problem[is_so], detail[is_so] = rule, words
    return {"problem": problem, "detail": detail}


def _one_each(known: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One row a record and rater, and the rows that repeat one; two labels of one rater are none."""
    key = ["of", "response_id", "rater"]
    # what says something first, else in the order of the files
    ordered = known.sort_values("reason", key=lambda reason: reason.notna(), kind="stable")
    given = ordered.assign(given=ordered[LABEL].where(ordered["reason"].isna()))
    n_labels = given.groupby(key)["given"].transform("nunique")
    is_more = ordered.duplicated(key)
    contradicts = n_labels > 1
    labels = ordered.assign(
        value=ordered["value"].mask(contradicts),
        label=ordered[LABEL].mask(contradicts, None),
        reason=ordered["reason"].mask(contradicts, CONTRADICT),
    )
    same = "the rater has a row of this already, with the same label"
    other = "the rater gave this two labels, of which none counts"
    doubled = ordered[is_more | contradicts].assign(
        problem=np.where(contradicts, CONTRADICT, "labelled_twice")[is_more | contradicts],
        detail=np.where(contradicts, other, same)[is_more | contradicts],
    )
    return labels[~is_more], doubled


def _told(rows: pd.DataFrame) -> list[Quarantined]:
    shown = [ROW_ID, "written", SHEET_ROW, "study", "measure", "rater"]
    return [
        Quarantined(
            record_key=f"{row['file_name']}:row {row[FILE_ROW]}",
            rule=row["problem"],
            detail=f"{row['rater']}, row {row[FILE_ROW]} of {row['file_name']}: {row['detail']}; "
            f"got {str(row['written'] or '')[:_SHOWN]!r}",
            record_json=json.dumps({name: row[name] for name in shown}, ensure_ascii=False),
        )
        for row in rows.to_dict("records")
    ]


def _missing(found: pd.DataFrame) -> list[Quarantined]:
    """Rows that a sheet was drawn with and that a rater's files lack."""
    places = found[SHEET_ROW].str.extract(_ROW_OF).dropna().astype(int).set_axis(["place", "n_rows"], axis=1)
    drawn = found.loc[places.index, ["of", "rater", "file_name"]].join(places)
    gaps = []
    for group, rows in drawn.groupby(["of", "rater", "n_rows"], sort=False):
        of, rater, n_rows = cast("tuple[str, str, int]", group)
        file = rows["file_name"].iloc[0]
        for row_number in sorted(set(range(1, n_rows + 1)) - set(rows["place"])):
            detail = f"{rater}, {file}: row {row_number} of {n_rows}, as {of} was drawn, is missing"
            gaps.append(Quarantined(f"{file}:{row_number} of {n_rows} for {rater}", "missing_row", detail))
    return gaps
