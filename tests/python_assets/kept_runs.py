"""Kept runs of a small study, as archives of a published database: what imports and gates read."""

import json
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa

from python_assets.published.archive import put_in_place, write_archive
from python_assets.warehouse.build import Home, transaction

ANSWERS = {"p1": "good", "p2": "bad"}
CONFIG = {"groupings": [["gender"]], "prompts": {"templates": {"texts": [{"id": "t", "text": "A"}]}}}
VADER = "vader 1"
SYSTEM = {"system_id": "g", "provider": "ollama", "model": "llama"}
COLUMNS = {
    "prompts": "prompt_id, root_prompt_id, unit_id, unit_factor, is_root, task, prompt_text, baseline_text, "
    "baseline_kind, source_tag, keyword, document_id, replacements_json",
    "prompt_factors": "prompt_id, factor, level",
    "responses": "system_id, prompt_id, replicate, response_id, response_text, status, is_refused, "
    "is_empty, is_truncated, error, requested_at, latency_seconds, n_tokens_in, n_tokens_out, context_json",
    "measurements": "system_id, prompt_id, replicate, measure_id, value, baseline_value, label, scorer_version",
    "system_factors": "system_id, factor, level",
    "human_labels": "measure_id, response_id, rater, is_automatic, label, value, reason",
    "measures": "measure_id, kind, unit, scale_low, scale_high, direction, favourable, segment_factor",
}
TYPES = {"baseline_value": "double", "value": "double", "is_refused": "boolean"}
MEASURES = [
    ("vader", "continuous", "score", -1.0, 1.0, "higher_better", None, ""),
    ("verdict", "categorical", "label", None, None, "none", "fair", ""),
    ("verdict_unscored", "binary", "share", 0.0, 1.0, "none", None, ""),
    ("refusal", "binary", "share", 0.0, 1.0, "higher_worse", None, ""),
    ("near_clusters", "continuous", "score", None, None, "none", None, "gender"),
]


UNDECIDED = ("verdict_undecided", "binary", "share", 0.0, 1.0, "none", None, "")


def _verdict(text: str) -> str | None:
    return {"good": "fair", "open": None, "odd": None}.get(text, "unfair")


def _endings(text: str) -> list[tuple[object, ...]]:
    measured = {"verdict_undecided": text == "open", "verdict_unscored": text == "odd"}
    return [(name, float(value), None, None, "labels 1") for name, value in measured.items()]


def publish_run(
    home: Home, run_id: str, answers: dict[str, str], labels: Sequence[tuple[object, ...]] = (), **told: str
) -> None:
    """A published database with one run of a study whose generation g gave these answers ("open" decides nothing).

    labels: measure, prompt, rater, whether it is a program, label, value and why there is none. told: wave, study,
    vader and refusal (what measured), digest (of the model), at (when it was published), unit (a factor whose levels,
    one a prompt, are the units), hides_texts (anything: the study file says so).
    """
    unit = told.get("unit")
    study, refusal = told.get("study", "months"), told.get("refusal", "rules 1")
    report = {"report": {"hide_texts": True}} if "hides_texts" in told else {}
    rows = {
        "prompts": [
            (
                *(key, key[:2], f"{unit} {key}" if unit else key[:2], unit, True, "question"),
                *(f"Text {key}?", None, None, "", "", "", "{}"),
            )
            for key in answers
        ],
        "prompt_factors": [
            (key, *level)
            for key in answers
            for level in (("gender", "man"), *([(unit, f"{unit} {key}")] if unit else []))
        ],
        "responses": [
            ("g", key, 0, f"{run_id}{key}", text, "ok", text == "no", False, False, None, None, 1.0, 1, 1, None)
            for key, text in answers.items()
        ],
        "measurements": [
            ("g", key, 0, *measured)
            for key, text in answers.items()
            for measured in (
                ("vader", float(len(text)), None, None, told.get("vader", VADER)),
                ("verdict", None, None, _verdict(text), "labels 1"),
                ("refusal", float(text == "no"), None, None, refusal),
                *([] if "open" not in answers.values() else _endings(text)),
            )
        ],
        "system_factors": [("g", "system", "g"), *([("g", "wave", told["wave"])] if "wave" in told else [])],
        "human_labels": [(measure, f"{run_id}{key}", *rest) for measure, key, *rest in labels],
        "measures": [*MEASURES, *([UNDECIDED] if "open" in answers.values() else [])],
    }
    home.root.mkdir(exist_ok=True)
    home.parquet.mkdir(exist_ok=True)
    home.published.unlink(missing_ok=True)
    with duckdb.connect(str(home.published)) as connection, transaction(connection):
        connection.execute(
            "create table studies as select ? as study_id, 'Months' as title, ? as config_json, 'abc' as "
            "config_sha256, '0.1.0' as plumbline_version, ? as run_id, ?::timestamp as published_at",
            [study, json.dumps(CONFIG | report), run_id, told.get("at", "2026-10-01 00:00:00")],
        )
        connection.execute(
            "create table runs as select study_id, run_id, published_at, ? as systems_json, "
            "? as scorers_json, null::varchar as archive_path, null::timestamp as archive_removed_at from studies",
            [
                json.dumps([SYSTEM | {"model_digest": told.get("digest"), "wave": told.get("wave")}]),
                json.dumps([{"measure_id": "vader", "scorer_version": told.get("vader", VADER)}]),
            ],
        )
        connection.execute("create table documents (study_id varchar, document_id varchar, licence varchar)")
        connection.execute(
            "create table factors as select ? as study_id, unnest(?) as factor, 'domain' as type, "
            "null::varchar as reference_level, 'declared' as origin, null::varchar as rule",
            [study, ["gender", *([unit] if unit else [])]],
        )
        connection.execute(
            "create table systems as select ? as study_id, 'g' as system_id, false as is_engine", [study]
        )
        for table, of_table in rows.items():
            frame = pd.DataFrame(of_table, columns=COLUMNS[table].split(", "))
            connection.register("frame", pa.Table.from_pandas(frame, preserve_index=False))
            columns = ", ".join(
                f"cast({name} as {TYPES.get(name, 'varchar')}) as {name}" if frame[name].isna().all() else name
                for name in frame
            )
            connection.execute(f"create table {table} as select ? as study_id, {columns} from frame", [study])


def archived(
    home: Home, run_id: str, answers: dict[str, str], labels: Sequence[tuple[object, ...]] = (), **told: str
) -> Path:
    """The manifest of an archive of such a run."""
    publish_run(home, run_id, answers, labels, **told)
    study = told.get("study", "months")
    home.report(study).parent.mkdir(exist_ok=True)
    home.report(study).write_text("report")
    study_file = home.root / f"{study}.yml"
    study_file.write_text("# the study")
    folder = home.archives(study) / run_id
    put_in_place(write_archive(home, study, study_file, folder))
    return folder / "manifest.json"
