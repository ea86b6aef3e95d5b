import json

import pytest

from python_assets.published.query import open_published
from python_assets.report.dashboard import pack_dashboard
from python_assets.report.dashboard_responses import shortened
from python_assets.report.reader import Reader
from tests.python_assets.report.conftest import GROUPS, SENTIMENT
from tests.python_assets.report.test_packing import levels_of, numbers_of, unpacked
from tests.python_assets.report.test_result_cards import OPEN, hypotheses

BY_CONCEPT = SENTIMENT | {"grouping_id": "concept"}


@pytest.fixture
def packed(publish_small):
    """Tables of the small study as they travel; limits by keyword, rows of a mart by name."""

    def pack(limits=None, **replaced):
        with open_published(publish_small(**replaced)) as connection:
            return pack_dashboard(Reader(connection, "small"), **(limits or {}))

    return pack


def column(packed_text: str, table: str, name: str) -> list:
    header, arrays = unpacked(packed_text)
    found = header[table]["columns"][name]
    return levels_of(found, arrays) if found["kind"] == "codes" else numbers_of(found, arrays)


def statistic(parameters: str, name: str = "quantile", **changed) -> dict:
    return BY_CONCEPT | {"group_id": "Chad", "statistic": name, "parameters": parameters, "value": 0.5} | changed


def test_statistics_travel_in_declared_order_of_groups(packed):
    tables = packed().tables
    header, _ = unpacked(tables)
    assert header["statistics"]["columns"]["group_id"]["levels"] == [None, *GROUPS]
    found = dict(zip(column(tables, "statistics", "group_id"), column(tables, "statistics", "value"), strict=True))
    assert found == pytest.approx(dict(zip(GROUPS, (0.1, 0.2, 0.3), strict=True)), rel=2**-16)


def test_metrics_travel_with_range_impact_ratio_and_standard_deviation_first_and_dixon_last(packed):
    names = ["dixon_high", "unheard_of", "max_z", "standard_deviation", "impact_ratio", "cramers_v", "range"]
    rows = [BY_CONCEPT | {"statistic": "mean", "parameters": "", "metric": name, "value": 0.1} for name in names]
    header, _ = unpacked(packed(disparities=rows).tables)
    assert header["disparities"]["columns"]["metric"]["levels"][1:] == [
        *("range", "impact_ratio", "standard_deviation", "max_z", "cramers_v", "dixon_high", "unheard_of")
    ]


def test_a_group_keeps_its_place_where_another_factor_has_its_name(packed):
    levels = [{"prompt_id": "r1_Chad", "factor": "aside", "level": "Chad"}]
    rows = [{"prompt_id": f"r1_{g}", "factor": "concept", "level": g} for g in GROUPS]
    header, _ = unpacked(packed(prompt_factors=[*rows, *levels]).tables)
    assert header["statistics"]["columns"]["group_id"]["levels"] == [None, *GROUPS]


def test_the_measure_of_the_first_finding_comes_first(packed):
    rows = [statistic("", "mean", measure_id=name) for name in ("anger", "toxicity")]
    found = hypotheses({"measure_id": "toxicity"}, OPEN | {"measure_id": "anger"})
    for findings, first in ((found, "toxicity"), (hypotheses(OPEN | {"measure_id": "anger"}), "anger")):
        header, _ = unpacked(packed(summary_statistics=rows, findings=findings).tables)
        assert header["statistics"]["columns"]["measure_id"]["levels"][1] == first


def test_options_of_a_statistic_are_part_of_its_name(packed):
    rows = [statistic("q=0.25"), statistic("q=0.75"), statistic("", "kl_divergence")]
    names = column(packed(summary_statistics=rows).tables, "statistics", "statistic")
    assert set(names) == {"quantile (q=0.25)", "quantile (q=0.75)", "kl divergence"}


def test_options_of_a_disparity_stand_apart_from_those_of_its_statistic(packed):
    known = [statistic("q=0.2"), statistic("q=0.25"), statistic("", "mean")]
    rows = [
        BY_CONCEPT | {"statistic": "quantile", "parameters": "q=0.25;cap=4.36", "metric": "max_z"},
        BY_CONCEPT | {"statistic": "quantile", "parameters": "q=0.25", "metric": "range"},
        BY_CONCEPT | {"statistic": "mean", "parameters": "cap=4.36", "metric": "max_z"},
    ]
    tables = packed(summary_statistics=known, disparities=rows).tables
    found = zip(*(column(tables, "disparities", name) for name in ("statistic", "metric", "options")), strict=True)
    assert set(found) == {
        ("quantile (q=0.25)", "max_z", "cap=4.36"),
        ("quantile (q=0.25)", "range", ""),
        ("mean", "max_z", "cap=4.36"),
    }


def test_any_metric_of_the_tables_travels(packed):
    rows = [BY_CONCEPT | {"statistic": "mean", "parameters": "", "metric": "never_heard_of", "value": 1.0}]
    assert column(packed(disparities=rows).tables, "disparities", "metric") == ["never_heard_of"]


def test_labels_travel_as_shares(packed):
    measures = [{"measure_id": "stance", "kind": "categorical", "scorer": "choice"}]
    shares = [
        {"slice_id": "all", "system_id": "biased", "measure_id": "stance", "grouping_id": "concept"}
        | {"group_id": "Chad", "category": "agrees", "share": share, "n_group": n}
        for share, n in ((0.5, 4), (None, 0))
    ]
    tables = packed(measures=measures, outcome_distributions=shares, summary_statistics=[]).tables
    assert set(column(tables, "statistics", "statistic")) == {"share (agrees)"}
    assert sorted(map(str, column(tables, "statistics", "reason"))) == ["None", "no_values"]


def test_whole_groupings_are_left_out_where_there_are_too_many_rows(packed):
    rows = [statistic("", "mean", slice_id=name) for name in ("all", "all", "Chad", "Brazil")]
    tables = packed({"max_rows": 3}, summary_statistics=rows).tables
    assert sorted(column(tables, "statistics", "slice_id")) == ["Brazil", "all", "all"]
    assert unpacked(tables)[0]["design"]["n_statistics"] == 4


def test_the_first_grouping_travels_however_many_rows_it_has(packed):
    rows = [statistic("", "mean", slice_id=name) for name in ("all", "all", "Chad")]
    tables = packed({"max_rows": 1}, summary_statistics=rows).tables
    assert column(tables, "statistics", "slice_id") == ["all", "all"]


def test_values_stand_by_response(packed):
    header, arrays = unpacked(packed().responses)
    prompts = levels_of(header["responses"]["columns"]["prompt_id"], arrays)
    values = numbers_of(header["measures"]["sentiment"]["columns"]["value"], arrays)
    expected = {
        f"{root}_{group}": 0.1 * place + 0.2 * (root == "r2")
        for place, group in enumerate(GROUPS)
        for root in ("r1", "r2")
    }
    assert dict(zip(prompts, values, strict=True)) == pytest.approx(expected, rel=2**-16)
    assert prompts == sorted(prompts)


def test_columns_that_hold_nothing_do_not_travel(packed):
    header, _ = unpacked(packed().responses)
    assert list(header["measures"]["sentiment"]["columns"]) == ["value"]


def test_factors_stand_by_prompt_and_may_be_missing(packed):
    factors = [{"prompt_id": "r1_Chad", "factor": "tone", "level": "kind"}]
    header, arrays = unpacked(packed(prompt_factors=factors).responses)
    tones = levels_of(header["factors"]["columns"]["tone"], arrays)
    prompt_ids = header["responses"]["columns"]["prompt_id"]["levels"][1:]
    assert dict(zip(prompt_ids, tones, strict=True))["r1_Chad"] == "kind"
    assert tones.count(None) == 5


def test_a_response_without_a_measurement_and_a_baseline_without_a_response_both_travel(packed):
    measured = [
        {"system_id": "baseline", "prompt_id": "r1_Chad", "replicate": 0}
        | {"measure_id": "sentiment", "value": 0.5, "scorer_version": "1"}
    ]
    header, arrays = unpacked(packed(measurements=measured).responses)
    columns = header["responses"]["columns"]
    assert sorted(levels_of(columns["system_id"], arrays)) == ["baseline"] + ["biased"] * 6
    assert levels_of(columns["outcome"], arrays).count(None) == 1
    values = numbers_of(header["measures"]["sentiment"]["columns"]["value"], arrays)
    assert [value for value in values if value == value] == [0.5]


def test_whole_root_prompts_are_drawn_where_there_are_too_many_values(packed):
    header, arrays = unpacked(packed({"max_values": 5}).responses)
    prompts = set(levels_of(header["responses"]["columns"]["prompt_id"], arrays))
    assert prompts in ({f"r1_{group}" for group in GROUPS}, {f"r2_{group}" for group in GROUPS})
    assert header["n_root_prompts"] == 2


def test_texts_travel_once(packed):
    said = [
        {"system_id": "biased", "prompt_id": f"{root}_{group}", "replicate": 0, "status": "ok"}
        | {"response_text": "The same." if group == "Chad" else group}
        for root in ("r1", "r2")
        for group in GROUPS
    ]
    header, arrays = unpacked(packed(responses=said).texts)
    texts = header["texts"]["levels"]
    assert len(texts) == len(set(texts))
    assert levels_of(header["texts"], arrays)[:6] == ["Brazil", "The same.", "Ideraland"] * 2


def test_texts_are_shortened_alike_until_they_fit():
    texts = ["a" * 10, "b" * 100, "c" * 200]
    assert shortened(texts, 310) == texts
    cut = shortened(texts, 110)
    assert cut[0] == texts[0]
    assert cut[1] == "b" * 50 + " … (100 characters)"
    assert cut[2] == "c" * 50 + " … (200 characters)"


def test_no_text_at_all_is_nothing_to_shorten():
    assert shortened([], 10) == []


def test_engines_and_systems_without_numbers_are_not_offered(packed):
    systems = [
        {"system_id": name, "provider": "p", "model": "m", "system_prompt_name": "", "template": "", "extension": ""}
        | {"system_prompt": "", "decoding_json": "{}", "is_simulated": True, "is_baseline": False}
        for name in ("biased", "writer")
    ]
    header, _ = unpacked(packed(systems=systems).tables)
    assert [row["system_id"] for row in header["design"]["systems"]] == ["biased"]


def test_slices_of_the_study_file_travel(packed):
    config = {"slices": {"half": {"concept": ["Chad"]}}, "analysis": {"alpha": 0.05}}
    study = {
        "title": "t",
        "domain": "d",
        "config_json": json.dumps(config),
        "config_sha256": "c",
        "significance_level": 0.05,
    }
    header, _ = unpacked(packed(studies=[study | {"plumbline_version": "v", "run_id": "r"}]).tables)
    assert header["design"]["slices"] == {"half": {"concept": ["Chad"]}}
