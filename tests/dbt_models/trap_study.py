"""A small study for what other tools get wrong: shared edges, gaps, constants, many groups.

Belongs here: made-up raw tables and the statistics that are asked of them. Not here: any statistic of them.
"""

import json
import numpy as np
import pandas as pd

from python_assets.study.analysis import AnalysisSpec
from python_assets.warehouse.build import utc_now

STUDY = "traps"
N_ROOTS, N_MANY = 5, 32
GROUPINGS = {"a": ["a"], "b": ["b"], "a x b": ["a", "b"], "many": ["many"]}
SYSTEMS = ("g1", "g2", "baseline")
MEASURES = ("score", "score_negative", "constant", "mixed")  # one name is part of another
ANALYSIS = AnalysisSpec.model_validate(
    {
        "statistics": [
            "mean",
            "median",
            "mode",
            "variance",
            "standard_deviation",
            "skewness",
            "kurtosis",
            "range",
            {"quantile": [{"q": 0.1}, {"q": 0.9}]},
            {"percentile": {"p": 30.0}},
            "quantile_range",
            "percentile_range",
            {"correlation": [{}, {"method": "spearman"}, {"method": "kendall"}]},
            {"kl_divergence": [{}, {"bins": 4, "smoothing": 1.0}]},
            {"precision": [{}, {"threshold": 0.5, "normalise": "before"}]},
            {
                "selection_rate": [
                    {},
                    {"standard": "median", "method": "smaller"},
                    {"standard": "mode"},
                    {"standard": {"quantile": 0.75}},
                    {"standard": {"quantile_range": [0.2, 0.6]}},
                    {"standard": {"percentile_range": [25.0, 75.0]}},
                    {"standard": {"fixed": -5.0}, "method": {"within_percentage": 0.1}},
                    {"standard": "mean", "method": {"within_range": 0.5}},
                    {"normalise": "before", "over": "all"},
                    {"normalise": "after"},
                ]
            },
            {"mean": [{"normalise": "before"}, {"normalise": "after", "over": "all"}]},
            {"median": {"normalise": "before", "over": "all"}},
            {"kl_divergence": {"normalise": "before"}},
        ],
        "custom_statistics": {
            "signal": "avg(x) / nullif(stddev_samp(x), 0)",
            "gap": "avg(x - baseline)",
        },
        "custom_disparities": {"spread_over_mean": "(max(value) - min(value)) / nullif(avg(value), 0)"},
    }
)


def raw_tables() -> dict[str, dict[str, pd.DataFrame]]:
    """Raw tables by stage."""
    prompts = _prompts()
    factors = [("a", "a"), ("b", "b"), ("many", "many")]
    return {
        "study": {"studies": _studies()},
        "assemble": {
            "prompts": prompts.drop(columns=["a", "b", "many"]),
            "prompt_factors": prompts.melt("prompt_id", ["a", "b", "many"], "factor", "level"),
            "factors": pd.DataFrame({"factor": [f for f, _ in factors]}).assign(
                factor_type="domain", origin="declared", is_blocking=False
            ),
            "factor_levels": pd.DataFrame(
                [
                    (factor, level, position)
                    for factor in ("a", "b", "many")
                    for position, level in enumerate(sorted(prompts[factor].unique()))
                ],
                columns=["factor", "level", "level_position"],
            ),
            "slice_ids": pd.DataFrame({"slice_id": ["all"]}),
            "groupings": pd.DataFrame(
                [(g, i, f, j) for i, (g, names) in enumerate(GROUPINGS.items()) for j, f in enumerate(names)],
                columns=["grouping_id", "grouping_position", "factor", "factor_position"],
            ),
            "grouping_references": pd.DataFrame({"grouping_id": list(GROUPINGS), "reference": "rest"}),
            "measure_slices": pd.DataFrame({"measure_id": MEASURES, "slice_id": "all"}),
            "statistics": pd.DataFrame(ANALYSIS.requested_statistics),
            "custom_disparities": pd.DataFrame(
                ANALYSIS.custom_disparities.items(), columns=["metric", "expression"]
            ),
        },
        "generate": {"systems": _systems(), "responses": _responses(prompts)},
        "extract": {"measures": _measures(), "measurements": _measurements(prompts)},
    }


def _studies() -> pd.DataFrame:
    config = json.dumps({"analysis": {"permutations": 199, "bootstrap": 200}})
    row = {"title": "Traps", "domain": "none", "config_json": config, "config_sha256": "0", "alpha": 0.05}
    row |= {"plumbline_version": "0", "run_id": "r", "started_at": utc_now(), "analysis_sha256": "0"}
    return pd.DataFrame([row])


def _prompts() -> pd.DataFrame:
    root, many = (part.ravel() for part in np.meshgrid(range(N_ROOTS), range(N_MANY), indexing="ij"))
    frame = pd.DataFrame({"root": root, "i": many})
    columns = {
        "prompt_id": "p" + frame.root.astype(str) + "_" + frame.i.astype(str),
        "root_prompt_id": "r" + frame.root.astype(str),
        "unit_id": "r" + frame.root.astype(str),
        "a": "a" + (frame.i % 3).astype(str),
        "b": "b" + (frame.i // 3 % 2).astype(str),
        "many": "m" + frame.i.astype(str).str.zfill(2),
    }
    constants = {"is_root": False, "task": "question", "source_tag": "", "keyword": "", "document_id": ""}
    return pd.DataFrame(columns).assign(**constants)


def _systems() -> pd.DataFrame:
    columns = {"provider": "replay", "model": "", "system_prompt": "", "decoding_json": "{}"}
    columns |= {"extensions_json": "[]", "model_details_json": "{}", "is_simulated": False}
    is_baseline = [name == "baseline" for name in SYSTEMS]
    return pd.DataFrame({"system_id": SYSTEMS, "is_baseline": is_baseline}).assign(**columns)


def _responses(prompts: pd.DataFrame) -> pd.DataFrame:
    frames = [prompts[["prompt_id"]].assign(system_id=name, replicate=0) for name in SYSTEMS[:2]]
    responses = pd.concat(frames, ignore_index=True)
    flags = {"is_refused": False, "is_empty": False, "is_truncated": False}
    return responses.assign(response_id=responses.system_id + responses.prompt_id, status="ok", **flags)


def _measures() -> pd.DataFrame:
    rows = pd.DataFrame({"measure_id": MEASURES})
    return rows.assign(kind="continuous", direction="none", unit="1", scorer="made_up", parameters="")


def _measurements(prompts: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    frames = [
        prompts[["prompt_id"]].assign(
            system_id=system,
            measure_id=measure,
            replicate=0,
            scorer_version="1",
            value=_values(measure, prompts, rng),
        )
        for system in SYSTEMS
        for measure in MEASURES
    ]
    rows = pd.concat(frames, ignore_index=True)
    own = rows.system_id != "baseline"
    apart = np.where(rows.measure_id == "score", 10.0, 0.1)
    rows["baseline_value"] = (rows.value + apart).round(2).where(own)
    noisy = own & (rows.measure_id == "score_negative")
    rows.loc[noisy, "baseline_value"] += rng.normal(0, 0.3, noisy.sum()).round(2)
    rows["reason"] = None
    missing = (rows.measure_id == "score") & rows.prompt_id.isin(["p0_0", "p1_3"]) & own
    rows["value"] = rows.value.astype(object)
    rows.loc[missing, "value"] = [None, np.nan] * (missing.sum() // 2)
    rows.loc[missing, "reason"] = "response_error"
    return rows


def _values(measure: str, prompts: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    n = len(prompts)
    if measure == "constant":
        return np.full(n, 0.1)
    centre = {"score": 0.2, "score_negative": -5.0, "mixed": 0.0}[measure]
    shift = np.where(prompts.a == "a0", -2.0, 2.0) if measure == "mixed" else 0.0
    return np.round(rng.normal(centre, 0.5, n) + shift, 2)
