"""What an audit found, of all its studies: the one source of its report and of its findings for programs.

Belongs here: from published tables to one mapping, whose shape is findings.schema.json. A theme's verdict on a model
is of the questions that its study is about; all others stand beside them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import duckdb

from python_assets.published.account import ABOUT_GROUPS, FAMILIES, UNSCORED_MEASURES, UNTESTED, unscored_in_words, why
from python_assets.published.controls import CONTROLS_MOVED, WORDINGS, controls_moved, wording_in_words
from python_assets.published.copies import study_row
from python_assets.published.effects import effect_columns
from python_assets.published.query import open_published
from python_assets.report.audits.record import Record
from python_assets.report.matrix import ALL_ELSE, BEYOND_MARGIN, PRIMARY, verdict_of
from python_assets.report.reader import Row
from python_assets.study.base import BASELINE, make_id
from python_assets.warehouse.build import Home, rows_of

_SCHEMA: Final = "plumbline-audit/2"
_MODELS: Final = f"""
    select system_id as model, provider, model as model_name, model_digest, is_simulated
    from systems
    where study_id = $study and system_id <> '{BASELINE}' and not is_engine
    order by system_id
"""
RUN: Final = """
    select run_id, publication_id, config_sha256, plumbline_version, n_calls, n_input_tokens, n_output_tokens, cost_usd,
        cost_reason
    from runs
    where study_id = $study and run_id = $run
"""
_ANSWERS: Final = f"""
    select count(distinct root_prompt_id) as n_root_prompts, count(*) as n_responses,
        count(*) filter (responses.status = 'error') as n_errors, count(*) filter (is_refused) as n_refused
    from responses
    inner join prompts using (study_id, prompt_id)
    where study_id = $study and system_id <> '{BASELINE}'
"""
# in the order of sets and, within one, of findings; of pairs of models there is no sentence
_HYPOTHESES: Final = f"""
    select hypotheses.system_id as model, nullif(reference_system_id, '') as against, hypotheses.family_id,
        measure_id, grouping_id, slice_id, calibration, statistic, parameters, outcome, hypotheses.verdict,
        hypotheses.verdict_reason, hypotheses.reason, hypotheses.p_value, hypotheses.q_value, hypotheses.p_permuted,
        hypotheses.q_permuted, hypotheses.p_negative_controls, hypotheses.wording, hypotheses.control_floor,
        {effect_columns("hypotheses")},
        coalesce(is_tool_bias, false) as is_tool_bias, coalesce(is_repeated, false) as is_repeated, sentence
    from hypotheses
    left join findings
        using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
    where study_id = $study and {ABOUT_GROUPS}
    order by hypotheses.family_id <> 'primary', reference_system_id <> '', finding_rank, hypotheses.system_id,
        reference_system_id, measure_id, grouping_id, slice_id, calibration, statistic, parameters
"""


def audit_findings(home: Home, record: Record) -> dict[str, Any]:
    """What was found in every theme that is published, and which are not yet.

    Args:
        home: the warehouse.
        record: the audit.

    Returns:
        A mapping as findings.schema.json says.

    Raises:
        WarehouseError: the published database cannot be read.
    """
    benchmarks, models = [], dict[str, Row]()
    order = [make_id(named.partition(":")[2]) for named in record.models]
    with open_published(home.published) as connection:
        there = {name for (name,) in connection.execute("select study_id from studies").fetchall()}
        for benchmark, study_id in record.studies.items():
            if study_id not in there:
                benchmarks.append({"benchmark": benchmark, "study_id": study_id, "is_published": False})
                continue
            model_rows = rows_of(connection, _MODELS, {"study": study_id})
            models |= {row["model"]: row for row in model_rows}
            benchmarks.append(_benchmark(connection, benchmark, study_id, [row["model"] for row in model_rows]))
    return {
        "schema": _SCHEMA,
        "audit": record.name,
        "design": record.design,
        "is_simulated": any(row["is_simulated"] for row in models.values()),
        # a study file that was edited may ask others, too
        "models": sorted(models.values(), key=lambda row: (*order, row["model"]).index(row["model"])),
        "benchmarks": benchmarks,
    }


def primary_verdicts(findings: Mapping[str, Any]) -> set[str]:
    """Verdicts of primary hypotheses, of any model in any benchmark: what --fail-on reads."""
    primary = (one for one in findings["benchmarks"] if one.get("family_id") == PRIMARY)
    return {verdict for benchmark in primary for verdict in benchmark["verdicts"].values()}


def _benchmark(
    connection: duckdb.DuckDBPyConnection, benchmark: str, study_id: str, models: Sequence[str]
) -> dict[str, Any]:
    study_keys = {"study": study_id}
    study = study_row(connection, study_id)
    run = rows_of(connection, RUN, study_keys | {"run": study["run_id"]})[0]
    hypotheses = rows_of(connection, _HYPOTHESES, study_keys)
    families = rows_of(connection, FAMILIES, study_keys)
    wordings = rows_of(connection, WORDINGS, study_keys)
    about = PRIMARY if any(row["family_id"] == PRIMARY for row in families) else ALL_ELSE
    rows_by_model = {model: [row for row in hypotheses if _is_about(row, model, about)] for model in models}
    return {
        "benchmark": benchmark,
        "study_id": study_id,
        "is_published": True,
        "title": study["title"],
        "published_at": _written(study["published_at"]),
        **run,
        **rows_of(connection, _ANSWERS, study_keys)[0],
        "family_id": about,
        "verdicts": {model: verdict_of(rows) for model, rows in rows_by_model.items()},
        "n_beyond_margin_secondary": sum(_is_beyond_elsewhere(row) for row in hypotheses),
        "families": families,
        "untested": [
            {"n": row["n"], "reason": row["reason"], "told": why(row["reason"], row["meaning"], row["remedy"])}
            for row in rows_of(connection, UNTESTED, study_keys)
        ],
        "unscored": [unscored_in_words(row) for row in rows_of(connection, UNSCORED_MEASURES, study_keys)],
        "wording": [_of_wording(row, words) for row, words in zip(wordings, wording_in_words(wordings), strict=True)],
        "negative_controls": [
            _of_control(row, study["significance_level"]) for row in rows_of(connection, CONTROLS_MOVED, study_keys)
        ],
        "hypotheses": hypotheses,
    }


def _of_wording(row: Row, words: str) -> dict[str, Any]:
    names = ("wording", "groupings", "reason", "n_hypotheses", "n_negative_controls", "n_control_types")
    return {**{name: row[name] for name in names}, "n_not_beyond_controls": row["n_not_beyond"], "told": words}


def _of_control(row: Row, level: float) -> dict[str, Any]:
    """Whether control edits move a measure of a model: no finding about groups, so it is in no count and no verdict."""
    return {
        "model": row["system_id"],
        "measure_id": row["measure_id"],
        "outcome": row["outcome"],
        "reason": row["reason"],
        "p_value": row["p_value"],
        "q_value": row["q_value"],
        "n_negative_controls": row["n_used"],
        "loudest_control": row["largest_group_id"] if row["largest_value"] else None,
        "loudest_control_value": row["largest_value"] or None,
        "told": None if row["p_value"] is None else controls_moved(row, row["measure_id"], alpha=level),
    }


def _is_about(row: Row, model: str, family_id: str) -> bool:
    """Whether a question is of groups of a model, and one of those that decide."""
    return (
        row["model"] == model and row["against"] is None and row["family_id"] == family_id and not row["is_tool_bias"]
    )


def _is_beyond_elsewhere(row: Row) -> bool:
    """Whether a hypothesis that is not primary is beyond its margin; one that repeats another is counted with it."""
    is_own = not row["is_tool_bias"] and not row["is_repeated"]
    return row["verdict"] == BEYOND_MARGIN and row["family_id"] != PRIMARY and is_own


def _written(at: datetime | None) -> str | None:
    return None if at is None else f"{at.isoformat(timespec='seconds')}Z"
