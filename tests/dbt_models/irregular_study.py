"""A small study with all that makes counting hard: gaps, replicates, slices, missing values, ties, constants.

Belongs here: made-up raw tables. Not here: any statistic of them.
"""

import json
from itertools import product

import numpy as np
import pandas as pd

from python_assets.study.analysis import Regression
from python_assets.study.selection_rate import SelectionRate, Standard
from python_assets.study.statistics import Statistics, statistic_rows
from python_assets.warehouse.build import utc_now

STUDY = "irregular"
LEVELS = {
    "gender": ["male", "female"],
    "race": ["c", "a", "b"],
    "style": ["plain", "formal"],
    "topic": ["t2", "t1", "t3"],
    "era": ["e0", "e1", "e2"],
}
# root prompts are nested in topics, within their era; the others are crossed with them
GROUPINGS = {
    "gender": ["gender"],
    "race": ["race"],
    "race x gender": ["race", "gender"],
    "style": ["style"],
    "topic": ["topic"],
}
# beyond the groupings: three factors that no question is asked of
SUBGROUP_SETS = {**GROUPINGS, "gender x race x style": ["gender", "race", "style"]}
REGRESSIONS = {
    "refused": Regression(measure="refusal", factors={"race": "c", "style": "plain"}, slice="all"),
    "refused_by_women": Regression(measure="refusal", factors=["topic"], slice="women"),
    "unseen": Regression(measure="never_measured", factors=["style"]),
    "empty_by_system": Regression(measure="empty", factors=["system"]),
}
IDEALS = {"deviation_rate": 0.25, "log_disparity": 0.0}
REFERENCES = {
    "gender": ("rest", None),
    "race": ("all_pairs", None),
    "race x gender": ("level", "a x male"),
    "style": ("grand_mean", None),
    "topic": ("rest", None),
}
SLICES = {
    "all": {},
    "plain": {"style": ["plain"]},
    "a_or_b_plain": {"race": ["a", "b"], "style": ["plain"]},
    "women": {"gender": ["female"]},  # without the group that others are compared with
    "four_root_prompts": {"topic": ["t1"]},  # fewer than 5: blocks take their place
}
MEASURES = {
    "score": ("continuous", "higher_better"),
    "flat": ("continuous", "none"),
    "refusal": ("binary", "higher_worse"),
    "empty": ("binary", "higher_worse"),
    "stance": ("categorical", "none"),
}
MEASURE_SLICES = {
    "score": list(SLICES),
    "flat": ["all", "women"],
    "refusal": ["all", "a_or_b_plain", "women"],
    "empty": ["all", "plain"],
    "stance": ["plain"],
}
REQUESTED_CONTRASTS = [
    "dbi",
    "selection_rate_difference",
    "precision_difference",
    "median_difference",
    "variance_difference",
    "standard_deviation_difference",
    "skewness_difference",
    "kurtosis_difference",
    "correlation_difference",
    "kl_divergence_difference",
]
STATISTICS = statistic_rows(
    [
        "mean",
        "median",
        "variance",
        "standard_deviation",
        "skewness",
        "kurtosis",
        "correlation",
        "kl_divergence",
        "precision",
        "selection_rate",
        Statistics(selection_rate=SelectionRate(standard=Standard(fixed=0.1), method="smaller")),
    ]
)


def raw_tables(seed: int) -> dict[str, dict[str, pd.DataFrame]]:
    """Raw tables by stage."""
    rng = np.random.default_rng(seed)
    prompts, prompt_factors = _prompts(rng)
    responses = _responses(prompts, rng)
    return {
        "study": {"studies": _studies()},
        "assemble": {"prompts": prompts, "prompt_factors": prompt_factors, **_design()},
        "generate": {
            "systems": _systems(),
            "system_factors": _system_factors(),
            "responses": responses,
        },
        "label": {"human_labels": _labels(responses)},
        "extract": {
            "measures": _measures(),
            "measurements": _with_an_effect(_measurements(prompts, responses, rng), prompt_factors),
            **_ground_truth(),
        },
    }


def _studies() -> pd.DataFrame:
    config = json.dumps({"analysis": {"permutations": 199, "bootstrap": 200}})
    row = {"title": "Irregular", "domain": "none", "config_json": config, "config_sha256": "0", "alpha": 0.1}
    row |= {"plumbline_version": "0", "run_id": "r", "started_at": utc_now(), "analysis_sha256": "0"}
    return pd.DataFrame([row])


def _prompts(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    cells = product(range(8), LEVELS["gender"], LEVELS["race"], LEVELS["style"])
    kept = [cell for cell in cells if rng.random() < 0.8]
    prompts, factors = [], []
    for i, (root, gender, race, style) in enumerate(kept):
        prompt_id = f"p{i:03d}"
        prompts.append({"prompt_id": prompt_id, "root_prompt_id": f"r{root}", "unit_id": f"r{root}"})
        levels = {"gender": gender, "race": race, "style": style}
        is_apart = root == 7  # no other topic in its era
        levels |= {"topic": "t3" if is_apart else f"t{root % 2 + 1}", "era": f"e{root // 4 + is_apart}"}
        if i % 13 == 0:  # belongs to no group of a grouping with race
            del levels["race"]
        factors += [{"prompt_id": prompt_id, "factor": f, "level": level} for f, level in levels.items()]
    constants = {"is_root": False, "task": "question", "source_tag": "", "keyword": "", "document_id": ""}
    return pd.DataFrame(prompts).assign(**constants), pd.DataFrame(factors)


def _design() -> dict[str, pd.DataFrame]:
    def rows(columns: str, values: list[tuple[object, ...]]) -> pd.DataFrame:
        return pd.DataFrame(values, columns=columns.split())

    return {
        "factors": rows(
            "factor factor_type origin is_blocking",
            [(f, "domain", "derived" if f == "topic" else "declared", f != "topic") for f in LEVELS],
        ),
        "factor_levels": rows(
            "factor level level_position",
            [(f, level, i) for f, levels in _levels().items() for i, level in enumerate(levels)],
        ),
        "slices": rows(
            "slice_id factor level",
            [
                (s, f, level)
                for s, conditions in SLICES.items()
                for f, levels in conditions.items()
                for level in levels
            ],
        ),
        "slice_ids": rows("slice_id", [(s,) for s in SLICES]),
        "groupings": rows(
            "grouping_id grouping_position factor factor_position",
            [(g, i, f, j) for i, (g, factors) in enumerate(GROUPINGS.items()) for j, f in enumerate(factors)],
        ),
        "grouping_references": rows(
            "grouping_id reference reference_group", [(g, *reference) for g, reference in REFERENCES.items()]
        ),
        "contrasts": rows("contrast", [(name,) for name in REQUESTED_CONTRASTS]),
        "coverage_sets": rows(
            "factors factor factor_position n_levels stride",
            [
                ("gender", "gender", 0, 3, 1),
                ("style", "style", 0, 3, 1),
                ("topic", "topic", 0, 3, 1),
                ("race x gender", "race", 0, 4, 3),
                ("race x gender", "gender", 1, 3, 1),
            ],
        ),
        "coverage_sizes": rows(
            "factors n_factors n_combinations n_impossible period",
            [
                ("gender", 1, 3, 0, 1),
                ("style", 1, 3, 0, 1),
                ("topic", 1, 3, 0, 1),
                ("race x gender", 2, 12, 1, 12),
            ],
        ),
        "impossible_cells": rows(
            "condition_position factor level", [(0, "race", "never"), (0, "gender", "never")]
        ),
        "subgroup_sets": rows(
            "grouping_id factor factor_position",
            [(g, f, i) for g, factors in SUBGROUP_SETS.items() for i, f in enumerate(factors)],
        ),
        "subgroup_ideals": rows("statistic ideal", list(IDEALS.items())),
        "regressions": rows(
            "regression_id slice_id measure_id n_prompt_factors",
            [(name, r.slice, r.measure, len(_of_prompts(r))) for name, r in REGRESSIONS.items()],
        ),
        "regression_sets": rows(
            "grouping_id factor factor_position",
            [(name, f, i) for name, r in REGRESSIONS.items() for i, f in enumerate(_of_prompts(r))],
        ),
        "measure_slices": rows(
            "measure_id slice_id", [(m, s) for m, names in MEASURE_SLICES.items() for s in names]
        ),
        "statistics": pd.DataFrame(STATISTICS),
    }


def _of_prompts(regression: Regression) -> list[str]:
    return [factor for factor in regression.declared_references if factor in LEVELS]


def _levels() -> dict[str, list[str]]:
    """Declared levels, of which one is never observed but still to be covered; others as observed."""
    declared = {f: [*LEVELS[f], "never"] for f in ("gender", "race", "style")}
    return declared | {f: sorted(LEVELS[f]) for f in ("topic", "era")}


def _system_factors() -> pd.DataFrame:
    names = [name for name in _systems().system_id if name != "baseline"]
    return pd.DataFrame({"system_id": names, "factor": "system", "level": names})


def _systems() -> pd.DataFrame:
    columns = {"provider": "replay", "model": "", "system_prompt": "", "decoding_json": "{}"}
    columns |= {"extensions_json": "[]", "model_details_json": "{}", "is_simulated": False}
    ids = ["g1", "silent", "baseline"]
    return pd.DataFrame({"system_id": ids, "is_baseline": [i == "baseline" for i in ids]}).assign(
        **columns
    )


def _responses(prompts: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    rows = [
        {"system_id": system, "prompt_id": prompt_id, "replicate": replicate}
        for system in ("g1", "silent")
        for prompt_id in prompts.prompt_id
        for replicate in range(rng.integers(1, 4))
    ]
    responses = pd.DataFrame(rows)
    is_silent = responses.system_id == "silent"
    return responses.assign(
        response_id=responses.system_id + responses.prompt_id + responses.replicate.astype(str),
        status=np.where(is_silent, "error", "ok"),
        **{flag: np.where(is_silent, None, False) for flag in ("is_refused", "is_empty", "is_truncated")},
    )


def _ground_truth() -> dict[str, pd.DataFrame]:
    """Real shares of the genders in two of the three stances, and in one that nobody takes here."""
    persons = {"yes": (60.0, 40.0), "no": (0.0, 50.0), "never": (5.0, 5.0)}
    shares = [
        {"category": category, "category_position": place, "group_id": group, "n_persons": n}
        for place, (category, counts) in enumerate(persons.items())
        for group, n in zip(LEVELS["gender"], counts, strict=True)
    ]
    truths = pd.DataFrame(shares).assign(
        measure_id="stance",
        grouping_id="gender",
        parameters="table=made_up;period=2024",
        period="2024",
        source="nobody",
        licence="CC0",
    )
    totals = truths.groupby("category").n_persons.transform("sum")
    labels = [("yes", "yes"), ("no", "no"), ("it's unclear", None)]
    return {
        "ground_truths": truths.assign(share=truths.n_persons / totals),
        "ground_truth_labels": pd.DataFrame(labels, columns=["label", "category"]).assign(
            measure_id="stance"
        ),
    }


def _labels(responses: pd.DataFrame) -> pd.DataFrame:
    """What two raters say of every third response, the second of fewer; they differ in every seventh."""
    labelled = responses[["response_id"]].iloc[::3].reset_index(drop=True)
    value = labelled.index % 2 * 1.0
    first = labelled.assign(rater="ann", value=value)
    second = labelled.assign(rater="bob", value=np.where(labelled.index % 7 == 0, 1 - value, value)).iloc[::2]
    both = pd.concat([first, second], ignore_index=True)
    label = both.value.map({0.0: "no", 1.0: "yes"})
    return both.assign(measure_id="refusal", label=label, is_automatic=both.rater.eq("bob"), file_name="labels.csv", file_row=both.index + 2)


def _measures() -> pd.DataFrame:
    rows = [{"measure_id": m, "kind": kind, "direction": way} for m, (kind, way) in MEASURES.items()]
    return pd.DataFrame(rows).assign(unit="1", scorer="made_up", parameters="")


def _measurements(prompts: pd.DataFrame, responses: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    baseline = prompts[["prompt_id"]].assign(system_id="baseline", replicate=0)
    keys = pd.concat([responses[["system_id", "prompt_id", "replicate"]], baseline], ignore_index=True)
    return pd.concat([_measured(keys, measure, rng) for measure in MEASURES], ignore_index=True)


def _with_an_effect(measurements: pd.DataFrame, prompt_factors: pd.DataFrame) -> pd.DataFrame:
    """The scores of one generation with a difference between women and men that no correction hides."""
    of_women = prompt_factors.prompt_id[
        (prompt_factors.factor == "gender") & (prompt_factors.level == "female")
    ]
    is_raised = (
        (measurements.measure_id == "score")
        & (measurements.system_id == "g1")
        & measurements.prompt_id.isin(of_women)
    )
    return measurements.assign(value=measurements.value + 3.0 * is_raised)


def _measured(keys: pd.DataFrame, measure: str, rng: np.random.Generator) -> pd.DataFrame:
    n, kind = len(keys), MEASURES[measure][0]
    rows = keys.assign(
        measure_id=measure, scorer_version="1", value=np.nan, label=None, baseline_value=np.nan
    )
    silent = (rows.system_id == "silent").to_numpy() & (measure not in ("refusal", "empty"))
    missing = silent | (rng.random(n) < 0.1)
    if kind == "categorical":
        rows["label"] = np.where(
            missing, None, rng.choice(["yes", "no", "it's unclear"], n, p=[0.5, 0.3, 0.2])
        )
    elif kind == "binary":
        rows["value"] = np.where(missing, np.nan, rng.random(n) < {"refusal": 0.4, "empty": 0.0}[measure])
    elif measure == "flat":
        rows["value"] = np.where(missing, np.nan, 0.1)
    else:
        rows["value"] = np.where(missing, np.nan, np.round(rng.normal(0.2, 1, n), 2))  # rounded: ties occur
        no_baseline = (rng.random(n) < 0.2) | (rows.system_id == "baseline")
        # some values are as far from their baseline as precision allows
        baseline = np.where(np.arange(n) % 17 == 0, rows["value"] - 0.1, rng.normal(size=n))
        rows["baseline_value"] = np.where(no_baseline, np.nan, np.round(baseline, 2))
    rows["reason"] = np.where(missing, "response_error", None)
    return rows
