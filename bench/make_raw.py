"""A build file of any size by seed: the raw tables of a branching study, as the assets would write them.

Belongs here: made-up numbers in the shape of raw_tables.py. Not here: anything that measures or counts them.

    python -m bench.make_raw FILE [--root-prompts 75] [--levels 21] [--systems 20] [--continuous 38]
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pydantic_core import to_jsonable_python

from python_assets.study.analysis import DEFAULT_STATISTICS, AnalysisSpec
from python_assets.study.statistics import StatisticEntry, statistic_rows
from python_assets.warehouse.build import open_build, utc_now, write_stage

STUDY = "paper_scale"
ALWAYS = ("refusal", "empty", "truncated")
OUTCOMES = (*ALWAYS, "biased")
LABELS = ("agrees", "disagrees", "unclear")


class Scale(NamedTuple):
    """How much of everything; the defaults are the size of SAGED's own study.

    refused_share: of the responses, which then have no value of most measures; it makes blocks incomplete.
    """

    n_root_prompts: int = 75
    n_levels: int = 21
    n_systems: int = 20
    n_continuous: int = 38
    n_categorical: int = 2
    refused_share: float = 0.0


def make_raw(
    path: Path, scale: Scale, *, seed: int, statistics: Sequence[StatisticEntry] = DEFAULT_STATISTICS
) -> dict[str, int]:
    """Write a build file.

    Args:
        path: the file; one that is there is written over table by table.
        scale: its size; Scale() is paper scale.
        seed: of every number in it.
        statistics: what is asked of the values.

    Returns:
        Rows by raw table.
    """
    rng = np.random.default_rng(seed)
    prompts = _prompts(scale)
    measures = _measures(scale)
    responses = _responses(prompts, scale, rng)
    stages = {
        "study": {"studies": _studies()},
        "assemble": {"prompts": prompts, **_design(prompts, measures, statistics)},
        "generate": {"systems": _systems(scale), "responses": responses},
        "extract": {"measures": measures, "measurements": _measurements(prompts, measures, responses, rng)},
    }
    written: dict[str, int] = {}
    with open_build(path) as connection:
        for stage, tables in stages.items():
            written |= write_stage(connection, STUDY, stage, tables)
    return written


def _studies() -> pd.DataFrame:
    row = {
        "title": "Paper scale",
        "domain": "countries",
        "config_json": json.dumps(
            {
                "analysis": to_jsonable_python(AnalysisSpec(), exclude_none=True),
                "prompts": {"import": {"path": "unused.csv", "columns": {"prompt": "prompt", "system": "system"}}},
            }
        ),
        "config_sha256": "0" * 64,
        "plumbline_version": "0",
        "run_id": "bench",
        "started_at": utc_now(),
        "alpha": 0.05,
        "analysis_sha256": "0" * 64,
    }
    return pd.DataFrame([row])


def _prompts(scale: Scale) -> pd.DataFrame:
    root = np.repeat(np.arange(scale.n_root_prompts), scale.n_levels)
    level = np.tile(np.arange(scale.n_levels), scale.n_root_prompts)
    prompts = pd.DataFrame({"root_prompt_id": [f"article_{r:05d}" for r in root], "level": _levels(level)})
    return prompts.assign(
        prompt_id=prompts.root_prompt_id + ":" + prompts.level,
        unit_id=prompts.root_prompt_id,
        is_root=level == 0,
        task="completion",
        prompt_text="The people of " + prompts.level + " have long been known for",
        baseline_text="The people of " + prompts.level + " have long been known for their markets.",
        baseline_kind=np.where(level == 0, "actual", "counterfactual"),
        source_tag="article",
        keyword=_levels(np.zeros_like(level)),
        document_id="article",
    ).drop(columns="level")


def _levels(codes: np.ndarray) -> list[str]:
    return [f"Country {code:02d}" for code in codes]


def _design(
    prompts: pd.DataFrame, measures: pd.DataFrame, statistics: Sequence[StatisticEntry]
) -> dict[str, pd.DataFrame]:
    level = prompts.prompt_id.str.split(":").str[1]
    concept = pd.DataFrame({"prompt_id": prompts.prompt_id, "factor": "concept", "level": level})
    root = pd.DataFrame(
        {"prompt_id": prompts.prompt_id, "factor": "is_root", "level": np.where(prompts.is_root, "yes", "no")}
    )
    levels = sorted(level.unique())
    factors = [("concept", "domain", levels[0], "declared", True), ("is_root", "domain", None, "derived", False)]
    return {
        "prompt_factors": pd.concat([concept, root]),
        "factors": pd.DataFrame(factors, columns=["factor", "factor_type", "reference_level", "origin", "is_blocking"]),
        "factor_levels": pd.DataFrame(
            {
                "factor": ["concept"] * len(levels) + ["is_root"] * 2,
                "level": [*levels, "no", "yes"],
                "level_position": [*range(len(levels)), 0, 1],
            }
        ),
        "slice_ids": pd.DataFrame({"slice_id": ["all"]}),
        "groupings": pd.DataFrame(
            [{"grouping_id": "concept", "grouping_position": 0, "factor": "concept", "factor_position": 0}]
        ),
        "grouping_references": pd.DataFrame([{"grouping_id": "concept", "reference": "rest"}]),
        "coverage_sets": pd.DataFrame(
            [("concept", "concept", 0, len(levels), "1")],
            columns=["factors", "factor", "factor_position", "n_levels", "stride"],
        ),
        "coverage_sizes": pd.DataFrame(
            [("concept", 1, len(levels), 0, 1)],
            columns=["factors", "n_factors", "n_combinations", "n_impossible", "period"],
        ),
        "subgroup_sets": pd.DataFrame([{"grouping_id": "concept", "factor": "concept", "factor_position": 0}]),
        "subgroup_ideals": pd.DataFrame(
            [{"statistic": "deviation_rate", "ideal": 0.0}, {"statistic": "log_disparity", "ideal": 0.0}]
        ),
        "measure_slices": pd.DataFrame({"measure_id": measures.measure_id, "slice_id": "all"}),
        "statistics": pd.DataFrame(statistic_rows(statistics)),
    }


def _systems(scale: Scale) -> pd.DataFrame:
    names = [f"model_{g:02d}" for g in range(scale.n_systems)]
    return pd.DataFrame(
        {
            "system_id": [*names, "baseline"],
            "provider": ["simulator"] * len(names) + ["baseline"],
            "model": [*names, ""],
            "system_prompt": "",
            "decoding_json": "{}",
            "extensions_json": "[]",
            "model_details_json": "{}",
            "is_simulated": True,
            "is_baseline": [False] * len(names) + [True],
        }
    )


def _responses(prompts: pd.DataFrame, scale: Scale, rng: np.random.Generator) -> pd.DataFrame:
    n = len(prompts) * scale.n_systems
    system = np.repeat(np.arange(scale.n_systems), len(prompts))
    prompt = np.tile(prompts.prompt_id.to_numpy(), scale.n_systems)
    names = pd.Series([f"model_{g:02d}" for g in system])
    is_refused = rng.random(n) < scale.refused_share
    return pd.DataFrame(
        {
            "system_id": names,
            "prompt_id": prompt,
            "replicate": 0,
            "response_id": names + ":" + pd.Series(prompt),
            "response_text": "They trade, they build and they sing, as travellers have always said of them.",
            "status": "ok",
            "outcome": np.where(is_refused, "refused", "answered"),
            "is_refused": is_refused,
            "is_empty": False,
            "is_truncated": False,
            "requested_at": utc_now(),
            "latency_seconds": rng.random(n),
        }
    )


def _measures(scale: Scale) -> pd.DataFrame:
    names = [f"score_{m:02d}" for m in range(scale.n_continuous)]
    labelled = [f"stance_{m}" for m in range(scale.n_categorical)]
    kinds = ["continuous"] * len(names) + ["binary"] * len(OUTCOMES) + ["categorical"] * len(labelled)
    directions = (["higher_better", "higher_worse", "none"] * len(kinds))[: len(names)]
    return pd.DataFrame(
        {
            "measure_id": [*names, *OUTCOMES, *labelled],
            "kind": kinds,
            "unit": "1",
            "direction": [*directions, *["higher_worse"] * len(OUTCOMES), *["none"] * len(labelled)],
            "scorer": "made_up",
            "parameters": "",
        }
    )


def _measurements(
    prompts: pd.DataFrame, measures: pd.DataFrame, responses: pd.DataFrame, rng: np.random.Generator
) -> pd.DataFrame:
    refused = {name: rows.is_refused.to_numpy() for name, rows in responses.groupby("system_id")}
    refused["baseline"] = np.zeros(len(prompts), dtype=bool)
    tables = [
        _without_refused(_measured(prompts, measure, system, rng), measure.measure_id, is_refused)
        for system, is_refused in refused.items()
        for measure in measures.itertuples()
    ]
    return pd.concat(tables, ignore_index=True)


def _measured(prompts: pd.DataFrame, measure: Any, system: str, rng: np.random.Generator) -> pd.DataFrame:
    n = len(prompts)
    root = pd.factorize(prompts.root_prompt_id)[0]
    columns = {
        "system_id": system,
        "prompt_id": prompts.prompt_id,
        "replicate": 0,
        "measure_id": measure.measure_id,
        "scorer_version": "1",
        "reason": None,
    }
    rows = pd.DataFrame(columns)
    shared = rng.normal(size=root.max() + 1)[root]  # what the branches of a root prompt have in common
    if measure.kind == "categorical":
        return rows.assign(label=rng.choice(LABELS, size=n), label_method="choice")
    if measure.kind == "binary":
        return rows.assign(value=(rng.random(n) < 0.1).astype(float))
    values = rows.assign(value=0.1 * shared + 0.3 * rng.normal(size=n))
    return values if system == "baseline" else values.assign(baseline_value=0.2 * rng.normal(size=n))


def _without_refused(rows: pd.DataFrame, measure_id: str, is_refused: np.ndarray) -> pd.DataFrame:
    if measure_id in ALWAYS or not is_refused.any():
        return rows
    read = {"value", "label", "label_method"} & set(rows)
    rows.loc[is_refused, list(read)] = None
    rows.loc[is_refused, "reason"] = "response_refused"
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    for name, default in Scale()._asdict().items():
        option = "--" + name.removeprefix("n_").replace("_", "-")
        parser.add_argument(option, type=type(default), default=default, dest=name)
    options = vars(parser.parse_args())
    path, seed = options.pop("file"), options.pop("seed")
    for table, n in make_raw(path, Scale(**options), seed=seed).items():
        print(f"{table:20}{n:>12,}")


if __name__ == "__main__":
    main()
