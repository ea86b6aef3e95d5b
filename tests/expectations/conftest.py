import shutil
import warnings
from pathlib import Path

import pandas as pd
import pytest

from python_assets.study.analysis import Quality
from python_assets.study.study import AnalysisSpec, Factor, Import, ImportColumns, MeasureSpec, Prompts, Scrape, Study
from python_assets.telemetry import disable_telemetry
from python_assets.warehouse.build import open_build, write_stage

# everything that ends a literal or names a parameter somewhere between Python, Great Expectations and DuckDB
HARD_LEVEL = """O'Brien :id {batch} \\:b %(c)s "z" 🙂"""
LEVELS = ["Italy", HARD_LEVEL]
FLAGS = ["is_refused", "is_empty", "is_truncated"]
# the texts of four responses with their true flags
TEXTS = {
    "Fine.": [],
    "I cannot answer.": ["is_refused"],
    " \u00a0": ["is_empty"],
    "I cannot say what": ["is_refused", "is_truncated"],
}


def _study(prompts, groupings, quality=None, factors=None):
    return Study(
        study_id="s",
        path=Path("s.yml"),
        title="A study",
        domain="countries",
        factors=factors or {},
        prompts=prompts,
        systems=[],
        measures=[
            MeasureSpec(name="sentiment", scorer="vader"),
            MeasureSpec(name="stance", choices=["yes", "no"], slice="warm"),
        ],
        slices={"warm": {"tone": ["warm"]}},
        each=None,
        groupings=groupings,
        analysis=AnalysisSpec(quality=quality or Quality(min_responses_per_cell=2, max_removed_share=0.25)),
        config_json="{}",
        config_sha256="0" * 64,
    )


@pytest.fixture(scope="session")
def study():
    scrape = Scrape(
        levels=LEVELS, keywords={level: [level] for level in LEVELS}, sources=[{"tag": "article", "path": "a.txt"}]
    )
    return _study(Prompts(scrape=scrape), [("concept",), ("tone",), ("concept", "tone")], factors=_TONE)


_TONE = {"tone": Factor(type="prompt", levels=["warm", "cold"])}


@pytest.fixture(scope="session")
def imported_study():
    table = Import(path="t.csv", columns=ImportColumns(prompt="id"), factors={"concept": "country", "tone": "tone"})
    return _study(Prompts(import_=table), [("concept",)], factors=_TONE)


@pytest.fixture(scope="session")
def good_build(tmp_path_factory):
    """A build file whose rows satisfy every expectation of `study`."""
    path = tmp_path_factory.mktemp("good") / "s.duckdb"
    with open_build(path) as opened:
        scraped = {"documents": _documents(), "keywords": _keywords(), "sentences": _sentences()}
        write_stage(opened, "s", "scrape", scraped)
        write_stage(opened, "s", "assemble", {"prompts": _prompts(), "prompt_factors": _prompt_factors()})
        write_stage(opened, "s", "generate", {"systems": _systems(), "responses": _responses()})
        write_stage(opened, "s", "extract", {"measures": _measures(), "measurements": _measurements()})
    return path


@pytest.fixture
def connection(good_build, tmp_path):
    """A copy of it."""
    with open_build(Path(shutil.copy(good_build, tmp_path))) as opened:
        yield opened


@pytest.fixture(scope="session", autouse=True)
def _great_expectations():
    # imported once and before a test watches sockets or warnings
    disable_telemetry()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import expectations.validation  # noqa: F401


def _documents():
    rows = [
        {"document_id": f"d{i}", "uri": f"a{i}.txt", "sha256": f"{i}" * 64, "document_text": "Some text."}
        for i in range(2)
    ]
    return pd.DataFrame(rows).assign(source_tag="article", source_type="local")


def _keywords():
    rows = pd.DataFrame({"level": LEVELS, "keyword": LEVELS})
    return rows.assign(keyword_type="name", keyword_provider="study file")


def _sentences():
    kept = [
        {"sentence_id": f"d{i}:1:{level}", "document_id": f"d{i}", "level": level, "keyword": level}
        for i in range(2)
        for level in LEVELS
    ]
    rows = pd.DataFrame(kept)
    rows["sentence_text"] = "In " + rows["document_id"] + " they say of " + rows["level"] + " that it is far."
    dropped = {"sentence_id": "d0:2", "document_id": "d0", "sentence_text": "Nothing.", "dropped_reason": "no_keyword"}
    return pd.concat([rows, pd.DataFrame([dropped])]).assign(source_tag="article")


def _prompts():
    rows = [
        {"prompt_id": f"r{i}{b}", "root_prompt_id": f"r{i}", "is_root": not b, "baseline_kind": kind}
        for i in range(4)
        for b, kind in (("", "actual"), (":b", "counterfactual"))
    ]
    prompts = pd.DataFrame(rows)
    return prompts.assign(
        unit_id=prompts["root_prompt_id"],
        task="completion",
        prompt_text="They say of " + prompts["prompt_id"],
        baseline_text="They say of " + prompts["prompt_id"] + " that it is far.",
        source_tag="article",
        keyword="Italy",
        document_id="d0",
    )


def _prompt_factors():
    prompts = _prompts()
    factors = {
        "concept": prompts["is_root"].map({True: LEVELS[0], False: LEVELS[1]}),
        "tone": prompts["root_prompt_id"].isin(["r0", "r1"]).map({True: "warm", False: "cold"}),
        "keyword": prompts["keyword"],
    }
    parts = [pd.DataFrame({"prompt_id": prompts["prompt_id"], "factor": f, "level": v}) for f, v in factors.items()]
    return pd.concat(parts)


def _systems():
    rows = pd.DataFrame({"system_id": ["fair", "baseline"], "provider": ["simulator", "baseline"]})
    return rows.assign(
        model="",
        system_prompt="",
        decoding_json="{}",
        extensions_json="{}",
        model_details_json="{}",
        is_simulated=True,
        is_baseline=rows["system_id"] == "baseline",
    )


def _observed(true):
    if "is_empty" in true:
        return {"outcome": "unreadable", **{flag: flag in true for flag in FLAGS}, "is_refused": None}
    outcome = "refused" if "is_refused" in true else "answered"
    return {"outcome": outcome, **{flag: flag in true for flag in FLAGS}}


def _responses():
    prompt_ids = list(_prompts()["prompt_id"])
    fine, refused, blank, cut = TEXTS.items()
    # the blank ones are outside slice warm, each of whose cells has two prompts
    texts = [fine, refused, cut, fine, blank, refused, blank, cut]
    rows = [
        {"prompt_id": p, "response_text": text, **_observed(true)}
        for p, (text, true) in zip(prompt_ids, texts, strict=True)
    ]
    usage = {"latency_seconds": 0.1, "n_tokens_in": 3, "n_tokens_out": 1}
    return pd.DataFrame(rows).assign(system_id="fair", replicate=0, response_id="abc", status="ok", **usage)


def _measures():
    rows = [
        {"measure_id": "sentiment", "kind": "continuous", "scale_low": -1.0, "scale_high": 1.0},
        {"measure_id": "refusal", "kind": "binary", "scale_low": 0.0, "scale_high": 1.0},
        {"measure_id": "label", "kind": "categorical", "scale_low": None, "scale_high": None},
        {"measure_id": "stance", "kind": "categorical", "scale_low": None, "scale_high": None},
    ]
    return pd.DataFrame(rows).assign(unit="1", direction="none", scorer="vader", parameters="")


def _measurements():
    prompt_ids = _prompts()["prompt_id"]
    keys = pd.DataFrame({"prompt_id": prompt_ids, "system_id": "fair", "replicate": 0, "scorer_version": "1"})
    sentiment = keys.assign(measure_id="sentiment", value=1.0000001, baseline_value=-0.5)
    return pd.concat(
        [
            sentiment,
            sentiment.assign(system_id="baseline", value=-0.5, baseline_value=None),
            keys.assign(measure_id="refusal", value=1.0),
            keys.assign(measure_id="label", label="yes"),
            keys.head(4).assign(measure_id="stance", label="no"),
        ]
    )
