"""What an audit found, of all its studies: the one source of its report and of its findings for programs.

Belongs here: from published tables to one mapping, whose shape is findings.schema.json. A benchmark's verdict on a
model is of the primary hypotheses of its study; all others are listed with them. The numbers behind it are results.py.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import duckdb

from python_assets.published.account import ABOUT_GROUPS, FAMILIES, UNSCORED_MEASURES, UNTESTED, unscored_in_words, why
from python_assets.published.beyond_margin import beyond_elsewhere, beyond_margin, beyond_margin_in_words
from python_assets.published.calls import versions_in_words
from python_assets.published.controls import CONTROLS_MOVED, WORDINGS, controls_moved, wording_in_words
from python_assets.published.copies import study_row
from python_assets.published.effects import ADJUSTED, adjusted_effects, effect_columns
from python_assets.published.losses import (
    Form,
    Losses,
    all_responses,
    loss_warnings,
    losses_of,
    lost_in_words,
    scored_in_words,
)
from python_assets.published.query import open_published
from python_assets.report.audits.record import Record
from python_assets.report.audits.results import audit_results, measures_in_words, result_in_words
from python_assets.report.matrix import ALL_ELSE, PRIMARY, verdict_of
from python_assets.report.reader import Row
from python_assets.report.text import scope_words
from python_assets.study.base import BASELINE, make_id
from python_assets.warehouse.build import Home, rows_of

_SCHEMA: Final = "plumbline-audit/2"
_MODELS: Final = f"""
    select system_id as model, provider, model as model_name, model_digest, is_simulated,
        served_models, n_served_models, system_fingerprints, n_system_fingerprints
    from systems
    where study_id = $study and system_id <> '{BASELINE}' and not is_engine
    order by system_id
"""
_VERSIONS: Final = {
    "served_models": "served versions",
    "system_fingerprints": "system fingerprints",
    "model_digest": "digests",
}
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
# in the order of families and, within one, of findings; of pairs of models there is no sentence
_HYPOTHESES: Final = f"""
    select hypotheses.system_id as model, nullif(reference_system_id, '') as against, hypotheses.family_id,
        hypotheses.measure_id, hypotheses.grouping_id, hypotheses.slice_id, hypotheses.calibration,
        hypotheses.statistic, hypotheses.parameters, hypotheses.outcome, hypotheses.verdict,
        hypotheses.verdict_reason, hypotheses.reason, hypotheses.p_value, hypotheses.q_value, hypotheses.p_permuted,
        hypotheses.q_permuted, hypotheses.p_negative_controls, hypotheses.wording, hypotheses.control_floor,
        {effect_columns("hypotheses")}, {ADJUSTED}, kind, hypotheses.scope, hypotheses.n_negative_controls,
        coalesce(is_tool_bias, false) as is_tool_bias, coalesce(is_repeated, false) as is_repeated, sentence
    from hypotheses
    left join findings
        using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
    left join measures using (study_id, measure_id)
    {adjusted_effects("hypotheses")}
    where study_id = $study and hypotheses.{ABOUT_GROUPS}
    order by hypotheses.family_id <> 'primary', reference_system_id <> '', finding_rank, hypotheses.system_id,
        reference_system_id, hypotheses.measure_id, hypotheses.grouping_id, hypotheses.slice_id, hypotheses.calibration,
        hypotheses.statistic, hypotheses.parameters
"""


def audit_findings(home: Home, record: Record) -> dict[str, Any]:
    """Collect what was found in every benchmark that is published, and which benchmarks are not.

    Args:
        home: the warehouse.
        record: the audit.

    Returns:
        A mapping as findings.schema.json says.

    Raises:
        WarehouseError: the published database cannot be read.
    """
    benchmarks, systems = _published(home, record) if home.published.is_file() else ([], [])
    present = {one["benchmark"]: one for one in benchmarks}
    benchmarks = [
        present.get(benchmark) or _not_published(record, benchmark, study_id)
        for benchmark, study_id in record.studies.items()
    ]
    return {
        "schema": _SCHEMA,
        "audit": record.name,
        "design": record.design,
        "is_simulated": record.is_simulated or any(row["is_simulated"] for row in systems),
        "models": _models(record, systems),
        "served": _served(systems),
        "hypotheses": {
            name: _tested(benchmarks, is_primary=is_primary)
            for name, is_primary in (("primary", True), ("other", False))
        },
        "significance_levels": sorted({one["significance_level"] for one in benchmarks if one["is_published"]}),
        "benchmarks": benchmarks,
    }


def _not_published(record: Record, benchmark: str, study_id: str) -> dict[str, Any]:
    skipped = record.skipped.get(benchmark)
    return {"benchmark": benchmark, "study_id": study_id, "is_published": False, "skipped": skipped}


def _published(home: Home, record: Record) -> tuple[list[dict[str, Any]], list[Row]]:
    """The benchmarks that are published, and their systems with the name of the benchmark."""
    benchmarks, systems = [], list[Row]()
    with open_published(home.published) as connection:
        names = {name for (name,) in connection.execute("select study_id from studies").fetchall()}
        for benchmark, study_id in record.studies.items():
            if study_id in names:
                rows = rows_of(connection, _MODELS, {"study": study_id})
                systems += [row | {"benchmark": benchmark} for row in rows]
                benchmarks.append(_benchmark(connection, benchmark, study_id, rows))
    return benchmarks, systems


def primary_verdicts(findings: Mapping[str, Any]) -> set[str]:
    """Verdicts of primary hypotheses, of any model in any benchmark: what --fail-on reads."""
    primary = (one for one in findings["benchmarks"] if one.get("family_id") == PRIMARY)
    return {verdict for benchmark in primary for verdict in benchmark["verdicts"].values()}


def _models(record: Record, systems: Sequence[Row]) -> list[dict[str, Any]]:
    """The systems of every study, and the models of the audit that none of them is, in the order of the audit."""
    names = ("model", "provider", "model_name", "model_digest", "is_simulated")
    models = {row["model"]: {name: row[name] for name in names} for row in systems}
    requested = [named.partition(":") for named in record.models]
    present = {(row["provider"], row["model_name"]) for row in systems}
    for provider, _, name in requested:
        if make_id(name) not in models and (provider, name) not in present:
            empty = {
                "provider": provider,
                "model_name": name,
                "model_digest": None,
                "is_simulated": record.is_simulated,
            }
            models[make_id(name)] = {"model": make_id(name), **empty}
    order = [make_id(name) for _, _, name in requested]
    # a study file that was edited may ask others, too
    return sorted(models.values(), key=lambda row: (*order, row["model"]).index(row["model"]))


def _served(systems: Sequence[Row]) -> list[dict[str, Any]]:
    """Models whose responses are of several versions, configurations or digests, in one benchmark or over all."""
    served = []
    for row in systems:
        served += [
            {"model": row["model"], "benchmark": row["benchmark"], "sentence": words}
            for words in versions_in_words(row)
        ]
    for model in dict.fromkeys(row["model"] for row in systems):
        for name, words in _VERSIONS.items():
            by_value: dict[str, list[str]] = {}
            for row in systems:
                if row["model"] == model and row[name] is not None and not row["is_simulated"]:
                    by_value.setdefault(row[name], []).append(row["benchmark"])
            if len(by_value) > 1:
                each = "; ".join(f"{value} ({', '.join(where)})" for value, where in by_value.items())
                served.append(
                    {"model": model, "benchmark": None, "sentence": f"{words} differ between benchmarks: {each}"}
                )
    return served


def _tested(benchmarks: Sequence[Mapping[str, Any]], *, is_primary: bool) -> dict[str, int]:
    """How many hypotheses have a p value and how many are significant, over all benchmarks."""
    rows = [
        row
        for benchmark in benchmarks
        for row in benchmark.get("families", ())
        if (row["family_id"] == PRIMARY) is is_primary
    ]
    counts = {name: sum(row[name] for row in rows) for name in ("n_hypotheses", "n_tested", "n_significant")}
    repeated = [
        row
        for benchmark in benchmarks
        for row in benchmark.get("hypotheses", ())
        if is_significant(row) and row["is_repeated"] and (row["family_id"] == PRIMARY) is is_primary
    ]
    return {**counts, "n_significant_repeated": len(repeated)}


def is_significant(hypothesis: Row) -> bool:
    """Whether a hypothesis is significant and about the models.

    Args:
        hypothesis: of findings.json.
    """
    return bool(hypothesis["outcome"] == "significant") and not hypothesis["is_tool_bias"]


def _benchmark(
    connection: duckdb.DuckDBPyConnection, benchmark: str, study_id: str, systems: Sequence[Row]
) -> dict[str, Any]:
    study_keys = {"study": study_id}
    study = study_row(connection, study_id)
    run = rows_of(connection, RUN, study_keys | {"run": study["run_id"]})[0]
    hypotheses = rows_of(connection, _HYPOTHESES, study_keys)
    families = rows_of(connection, FAMILIES, study_keys)
    wordings = rows_of(connection, WORDINGS, study_keys)
    about = PRIMARY if any(row["family_id"] == PRIMARY for row in families) else ALL_ELSE
    rows_by_model = {
        system["model"]: [row for row in hypotheses if _is_about(row, system["model"], about)] for system in systems
    }
    deciding = [row for rows in rows_by_model.values() for row in rows]
    losses = losses_of(connection, study_id)
    level = study["significance_level"]
    elsewhere = [_beyond(row, level) for row in beyond_elsewhere(beyond_margin(connection, study_id))]
    results = audit_results(connection, study_id, study["config_json"], deciding)
    return {
        "benchmark": benchmark,
        "study_id": study_id,
        "is_published": True,
        "title": study["title"],
        "published_at": _written(study["published_at"]),
        **run,
        **rows_of(connection, _ANSWERS, study_keys)[0],
        "significance_level": level,
        "family_id": about,
        "verdicts": {model: verdict_of(rows) for model, rows in rows_by_model.items()},
        "warnings": loss_warnings(losses),
        "losses": [_of_losses(one) for one in all_responses(losses)],
        "measures": measures_in_words(connection, study_id, results),
        "results": [row | {"sentences": result_in_words(row)} for row in results],
        "scopes": sorted({scope for row in deciding if (scope := scope_words(row))}),
        "n_beyond_margin_secondary": len(elsewhere),
        "beyond_margin_secondary": elsewhere,
        "families": families,
        "untested": [
            {"n": row["n"], "reason": row["reason"], "told": why(row["reason"], row["meaning"], row["remedy"])}
            for row in rows_of(connection, UNTESTED, study_keys)
        ],
        "unscored": [unscored_in_words(row) for row in rows_of(connection, UNSCORED_MEASURES, study_keys)],
        "wording": [_of_wording(row, words) for row, words in zip(wordings, wording_in_words(wordings), strict=True)],
        "negative_controls": [_of_control(row, level) for row in rows_of(connection, CONTROLS_MOVED, study_keys)],
        "hypotheses": hypotheses,
    }


def _of_losses(losses: Losses) -> dict[str, Any]:
    return {
        "model": losses.system_id,
        "measure_id": losses.measure_id,
        "n_responses": losses.n,
        "n_scored": losses.n_scored,
        **{f"n_{loss}": n for loss, n in losses.lost.items()},
        "forms": [_of_form(form) for form in (*losses.unscored_forms, *losses.undecided_forms)],
        "sentence": f"{scored_in_words(losses)}: {lost_in_words(losses)}",
    }


def _of_form(form: Form) -> dict[str, Any]:
    return {"reason": form.reason, "form": form.text, "n_responses": form.n}


def _beyond(row: Row, level: float) -> dict[str, Any]:
    names = ("measure_id", "grouping_id", "slice_id", "calibration", "statistic", "family_id", "q_value", "metric")
    effect = ("group_id", "category", "value", "ci_low", "ci_high", "margin", "margin_origin")
    return {
        "model": row["system_id"],
        "against": row["reference_system_id"] or None,
        **{name: row[name] for name in (*names, *effect)},
        "sentence": beyond_margin_in_words(row, level),
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
    """Whether a hypothesis is about groups of a model, and one that its verdict is of."""
    return (
        row["model"] == model and row["against"] is None and row["family_id"] == family_id and not row["is_tool_bias"]
    )


def _written(at: datetime | None) -> str | None:
    return None if at is None else f"{at.isoformat(timespec='seconds')}Z"
