"""What the first screen of the report tells."""

import pytest

from python_assets.published.query import open_published
from python_assets.report.reader import Reader
from python_assets.report.result_cards import CARDS, LINES, MAX_FACTS, lead_hypothesis, study_facts
from tests.account import account_of, told_apart
from tests.python_assets.report.conftest import SENTIMENT

HYPOTHESIS = SENTIMENT | {
    "grouping_id": "concept",
    "statistic": "mean",
    "parameters": "",
    "finding_rank": 1,
    "family_id": "primary",
    "is_tool_bias": False,
    "is_repeated": False,
    "verdict": "different",
    "n_groups": 3,
    "headline_metric": "mean_difference",
    "headline_group_id": "Russia",
    "headline_category": "",
    "headline_reference": "rest",
    "headline_value": -0.3,
    "largest_metric": "mean_difference",
    "largest_group_id": "Russia",
    "largest_category": "",
    "largest_reference": "rest",
    "largest_value": -0.3,
    "p_value": 0.001,
    "q_value": 0.01,
    "n_root_prompts": 40,
    "scope": "similar prompts",
    "is_preregistered": False,
    "sentence": "The whole sentence.",
}
OPEN = {"verdict": "inconclusive", "p_value": 0.4, "q_value": 0.6, "sentence": "Left open.", "headline_metric": None}
NO_HEADLINE = {"headline_metric": None, "headline_group_id": None, "headline_value": None}
NO_P = {"verdict": "not_tested", "p_value": None, "q_value": None, "largest_value": None} | NO_HEADLINE
TOOL = {"is_tool_bias": True, "family_id": "baseline", "system_id": "baseline"}
GROUP = {name: HYPOTHESIS[name] for name in (*SENTIMENT, "grouping_id", "statistic", "parameters")}
GROUP |= {"category": "", "reference": "rest", "verdict": "different"}


def disparity(metric: str, **changed) -> dict:
    """A metric of the groups of the finding."""
    keys = {name: HYPOTHESIS[name] for name in (*SENTIMENT, "grouping_id", "statistic", "parameters")}
    return keys | {"metric": metric} | changed


def hypotheses(*changes: dict) -> list[dict]:
    """A finding each, ranked in this order."""
    return told_apart(HYPOTHESIS | {"finding_rank": rank} | change for rank, change in enumerate(changes, start=1))


def standing(group_id: str, position: int, **changed) -> dict:
    sentence = f"{group_id}: 0.3 lower than the rest."
    row = {
        "group_id": group_id,
        "position": position,
        "direction": "disadvantaged",
        "sentence": sentence,
        "value": -0.3,
    }
    return GROUP | row | changed


@pytest.fixture
def facts_of(publish_small):
    """The facts of the small study with these findings and groups."""

    def read(findings, groups=(), disparities=()):
        published = publish_small(findings=findings, finding_groups=groups, disparities=disparities)
        with open_published(published) as connection:
            return study_facts(Reader(connection, "small"))

    return read


def test_every_significant_hypothesis_is_told_as_something_and_counted_once(facts_of, publish_small, snapshot):
    findings = hypotheses(
        {},
        {"statistic": "variance"},
        {"calibration": "calibrated", "is_repeated": True},
        TOOL,
        {"measure_id": "inside", "verdict": "equivalent"},
        OPEN | {"measure_id": "inconclusive"},
    )
    pair = {**GROUP, "system_id": "biased", "reference_system_id": "fair", "comparison": "mean_change"}
    pair |= {"family_id": "comparison", "p_value": 0.001, "q_value": 0.01}
    account = [row | {"study_id": "small"} for row in account_of(findings, [pair])]
    for row in account:
        row["outcome"] = "inconclusive" if row["verdict"] == "inconclusive" else "significant"
    published = publish_small(findings=findings, hypotheses=account)
    with open_published(published) as connection:
        told = study_facts(Reader(connection, "small"))
    assert told.total["n_significant"] == 6
    assert told.significant == snapshot
    assert [fact.hypothesis["measure_id"] for fact in told.facts] == ["sentiment", "inside"]
    assert told.first_by_rank == []


def test_differences_inside_their_margin_are_found(report, snapshot):
    findings = hypotheses({"verdict": "equivalent"}, OPEN | {"measure_id": "refusal"})
    account = account_of(findings)
    account[0]["outcome"] = "significant"
    blocks = report(findings=findings, hypotheses=account).blocks["findings"]
    assert blocks[:5] == snapshot
    assert not [text for text in blocks if "Nothing is significant" in text]


def test_a_size_beyond_its_margin_is_told_on_the_card(publish_small, report, snapshot):
    size = {"verdict": "beyond_margin", "headline_metric": "impact_ratio", "headline_value": 0.25}
    size |= {"headline_group_id": None, "headline_ci_low": 0.1, "headline_ci_high": 0.5, "headline_margin": 0.8}
    findings = hypotheses(size | {"headline_margin_origin": "default"})
    ratio = disparity("impact_ratio", value=0.25, null_q95=0.6, q_value=0.02)
    blocks = report(findings=findings, disparities=[ratio]).blocks["findings"]
    assert [text for text in blocks if "beyond margin" in text] == snapshot, "the same word as in the matrix above"


def test_of_many_groups_both_directions_are_on_the_card(facts_of):
    lower = [standing(name, position, value=-0.1) for position, name in enumerate("abcde")]
    inside = {"direction": None, "verdict": "equivalent", "explained_by": None}
    (fact,) = facts_of(hypotheses({}), [*lower, standing("z", 9, value=0.05, **inside)]).facts
    assert [line.name for line in fact.first_groups] == ["a", "b", "c", "z"]


def test_where_nothing_is_significant_the_first_by_rank_are_told(facts_of, snapshot):
    margin = {"largest_margin": 0.8, "largest_margin_origin": "default", "largest_ci_low": 0.7, "largest_ci_high": 1.1}
    ratio = {"measure_id": "refusal", "largest_metric": "impact_ratio", "largest_group_id": None, "largest_value": 0.9}
    told = facts_of(hypotheses(OPEN, OPEN | ratio | margin))
    assert told.first_by_rank == snapshot
    assert facts_of(hypotheses({}, OPEN | ratio | margin)).first_by_rank == []


@pytest.fixture
def opening(report):
    """The text of the first section on one line."""
    return lambda *findings, **replaced: " ".join(
        report(findings=hypotheses(*findings), **replaced).sections["findings"].split()
    )


def test_a_fact_is_told_once_with_its_other_sizes_in_it(facts_of):
    sizes = [{"statistic": "variance"}, {"statistic": "kl_divergence", **OPEN}]
    sizes += [{"calibration": "calibrated", "is_repeated": True}, {"measure_id": "refusal"}]
    told = facts_of(hypotheses({}, *sizes, TOOL))
    assert [fact.hypothesis["measure_id"] for fact in told.facts] == ["sentiment", "refusal"]
    assert [len(fact.others) for fact in told.facts] == [3, 0]
    assert told.n_facts == 2


def test_a_size_leads_where_the_mean_shows_nothing(facts_of):
    told = facts_of(hypotheses(OPEN, {"statistic": "variance", "finding_rank": 2}))
    assert [fact.title for fact in told.facts] == ["Average sentiment by concept"]
    assert [row["sentence"] for row in told.facts[0].others] == ["The whole sentence."]


def test_the_rate_of_two_values_leads_before_their_variance(publish_small):
    findings = hypotheses({"statistic": "variance"}, {})
    for kind, statistic in (("binary", "mean"), ("continuous", "variance")):
        published = publish_small(kind, findings=findings, measures=[{"measure_id": "sentiment", "kind": kind}])
        with open_published(published) as connection:
            (fact,) = study_facts(Reader(connection, kind)).facts
        assert fact.hypothesis["statistic"] == statistic


def test_differences_of_rates_have_an_axis_in_points(publish_small):
    contrast = {name: GROUP[name] for name in GROUP if name != "verdict"} | {"contrast": "risk_difference"}
    published = publish_small(
        findings=hypotheses({}),
        finding_groups=[standing("Chad", 1, value=-0.157)],
        contrasts=[contrast | {"group_id": "Chad", "verdict": "different", "value": -0.157}],
        measures=[{"measure_id": "sentiment", "kind": "binary"}],
    )
    with open_published(published) as connection:
        (fact,) = study_facts(Reader(connection, "small")).facts
    assert fact.first_groups[0].effect == "\N{MINUS SIGN}15.7 points"
    assert "\N{MINUS SIGN}10" in [tick for _, tick in fact.ticks]


def test_what_heads_a_card_beyond_its_margin_is_told_once(facts_of):
    ratio = {"verdict": "beyond_margin", "headline_metric": "impact_ratio", "headline_group_id": None}
    ratio |= {"headline_value": 0.62, "headline_margin": 0.8, "headline_margin_origin": "default"}
    (fact,) = facts_of(
        hypotheses(ratio | {"n_hypotheses": 6}), disparities=[disparity("impact_ratio", value=0.62, null_q95=0.76)]
    ).facts
    assert fact.own_lines == [("mean", "", "impact ratio 0.62, margin 0.8 (four-fifths rule, default)")]
    assert fact.size.startswith("impact ratio (chance: down to 0.76)")
    assert fact.p == "p = .001, q = .010 (primary, family of 6 tested)"


def test_what_repeats_another_hypothesis_is_told_by_what_it_is_of(facts_of):
    repeated = {"is_repeated": True}
    rows = [repeated | {"measure_id": f"sentiment{name}"} for name in ("_undecided_as_no", "_as_written")]
    told = facts_of(hypotheses({}, *rows, repeated | {"calibration": "calibrated"})).significant
    assert told == [
        "1 in 1 result card below",
        "1 in calibrated or corrected values, which confirm one of these",
        "1 with undecided responses counted as no, which confirm one of these",
        "1 of texts as written, which confirm one of these",
    ]


def test_a_stronger_verdict_than_that_of_the_primary_hypothesis_has_a_line_of_its_own(facts_of):
    beyond = {"family_id": "secondary", "statistic": "selection_rate", "verdict": "beyond_margin"}
    beyond |= {"headline_margin": 0.1, "headline_margin_origin": "declared"}
    other = {"family_id": "secondary", "statistic": "variance"}
    cases = [(OPEN, other), (OPEN, other, beyond), ({}, beyond), ({"verdict": "equivalent"}, beyond), (beyond,)]
    found = [facts_of(hypotheses(*rows)).facts[0] for rows in cases]
    assert [(fact.badge["verdict"], [(line.name, line.verdict) for line in fact.own_lines]) for fact in found] == [
        ("inconclusive", [("variance", "different")]),
        ("inconclusive", [("variance", "different"), ("selection rate", "beyond_margin")]),
        ("different", [("selection rate", "beyond_margin")]),
        ("equivalent", [("selection rate", "beyond_margin")]),
        ("beyond_margin", [("selection rate", "")]),
    ]
    effect = "Russia \N{MINUS SIGN}30.0 points, margin 10 points, q = .010 (secondary"
    assert found[2].own_lines[0].effect.startswith(effect)


def test_systems_groupings_and_slices_are_facts_of_their_own(facts_of, snapshot):
    told = facts_of(hypotheses({}, {"system_id": "fair"}, {"grouping_id": "gender"}, {"slice_id": "part"}))
    assert [fact.title for fact in told.facts] == snapshot


def test_a_card_names_the_groups_that_stand_and_no_others(facts_of, opening):
    groups = [
        standing("Russia", 1),
        standing("China", 2, direction=None, explained_by="Russia"),
        standing("Peru", 1, statistic="variance"),
    ]
    assert [row["group_id"] for row in facts_of(hypotheses({}), groups).facts[0].groups] == ["Russia"]
    shown = opening({}, finding_groups=groups)
    assert "Russia disadvantaged\N{MINUS SIGN}0.30" in shown
    assert "China" not in shown


def test_a_hypothesis_without_a_group_that_stands_says_that_it_is_open_which(report, snapshot):
    blocks = report(findings=hypotheses({})).blocks["findings"]
    assert [text for text in blocks if "no single group" in text] == snapshot


def test_a_metric_is_told_with_its_own_q_where_it_heads_the_fact(facts_of, snapshot):
    by_metric = {"headline_metric": "impact_ratio", "headline_group_id": None, "scope": None}
    cases = [
        ({}, disparity("range", value=0.59, null_q95=0.24, q_value=0.2)),
        (by_metric, disparity("impact_ratio", value=0.5, null_q95=0.24, q_value=0.02)),
        (by_metric, disparity("impact_ratio", value=0.0, null_q95=0.0, q_value=0.02)),
    ]
    told = [facts_of(hypotheses(changed), disparities=[row]).facts[0].size for changed, row in cases]
    assert told == snapshot


def test_false_ones_to_expect_are_alpha_times_those_significant(facts_of):
    secondary = {"family_id": "secondary"}
    told = facts_of(hypotheses({}, {}, {}, OPEN, NO_P, secondary | OPEN))
    rows = [
        (row["family_id"], row["n_hypotheses"], row["n_tested"], row["n_significant"], row["n_false"])
        for row in told.tested
    ]
    assert rows == [("primary", 5, 4, 3, "0.15"), ("secondary", 1, 1, 0, "0")]


def test_nothing_found_and_nothing_tested_are_told_apart(report, snapshot):
    found_nothing = report(findings=hypotheses(OPEN, OPEN | {"system_id": "fair"}))
    tested_nothing = report(findings=hypotheses(NO_P | {"inference_reason": "one_group"}))
    asked_nothing = report(findings=[])
    bold = ("Nothing", "No significant")
    pages = (found_nothing, tested_nothing, asked_nothing)
    assert [text for page in pages for text in page.blocks["findings"] if text.startswith(bold)] == snapshot
    assert "could be tested" not in found_nothing.sections["findings"]
    for page in (tested_nothing, asked_nothing):
        assert "without a significant difference" not in page.sections["findings"]


def test_a_tool_that_was_tested_does_not_stand_for_the_systems(report, snapshot):
    pages = [report(findings=hypotheses(NO_P, TOOL | OPEN)), report(findings=hypotheses(OPEN, TOOL))]
    about = ("baseline texts", "Nothing could be tested.")
    assert [
        [text for text in page.blocks["findings"] if any(one in text for one in about)] for page in pages
    ] == snapshot


def test_hypotheses_not_tested_are_counted_by_reason(facts_of):
    told = facts_of(
        hypotheses(
            NO_P | {"inference_reason": "no_block", "measure_id": "empty"},
            NO_P | {"inference_reason": "no_block"},
            NO_P | {"reason": "unheard_of"},
        )
    )
    rows = [(row["why"], row["n"], row["measures"]) for row in told.not_tested]
    unpaired = "the group shares no prompt, or no stratum of units, with what it is compared with"
    unpaired += "; ask all groups on the same root prompts"
    assert rows == [(unpaired, 2, ["empty answers", "sentiment"]), ("unheard of", 1, ["sentiment"])]


def test_primary_hypotheses_left_open_are_named(facts_of, opening, snapshot):
    left = [OPEN, OPEN | {"measure_id": "refusal"}, OPEN | {"system_id": "fair"}]
    assert facts_of(hypotheses(*left)).open_primary == ["biased (sentiment, refusal)", "fair (sentiment)"]
    assert "3 hypotheses: no significant difference" in opening(*left)
    by_two = facts_of(hypotheses(OPEN, OPEN | {"grouping_id": "gender"}, OPEN | {"family_id": "secondary"}))
    assert by_two.open_primary == snapshot
    many = facts_of(hypotheses(*(OPEN | {"measure_id": f"m{place}"} for place in range(11))))
    assert many.open_primary[-1] == "and 3 more"


def test_facts_that_are_cut_are_counted(facts_of, opening):
    many = [{"measure_id": f"m{place:02d}"} for place in range(MAX_FACTS + 5)]
    told = facts_of(hypotheses(*many))
    assert (len(told.facts), told.n_facts) == (MAX_FACTS, MAX_FACTS + 5)
    shown = opening(*many)
    assert f"{MAX_FACTS + 5 - CARDS - LINES} more results" in shown
    assert f"The first {MAX_FACTS} of {MAX_FACTS + 5} are listed" in shown


def test_the_hypothesis_in_lead_is_the_first_that_shows_a_difference(publish_small):
    category = standing("Chad", 1, category="agrees", measure_id="stance", statistic="share")
    findings = hypotheses(OPEN, {"measure_id": "stance", "statistic": "share"}, {"measure_id": "joy"}, TOOL)
    published = publish_small(findings=findings, finding_groups=[category])
    with open_published(published) as connection:
        lead = lead_hypothesis(Reader(connection, "small"))
    assert (lead["measure_id"], lead["category"]) == ("stance", "agrees")
    labels = [
        GROUP
        | {"measure_id": "stance", "statistic": "share", "contrast": "risk_difference", "group_id": "Chad"}
        | {"category": label, "value": value, "p_value": p_value, "verdict": "inconclusive"}
        for label, value, p_value in (("agrees", 0.3, 0.2), ("none", None, None), ("refuses", -0.2, 0.01))
    ]
    unsettled = publish_small("unsettled", findings=findings, contrasts=labels)
    with open_published(unsettled) as connection:
        assert lead_hypothesis(Reader(connection, "unsettled"))["category"] == "refuses"
    nothing_shown = publish_small("inconclusive", findings=hypotheses(OPEN, NO_P))
    with open_published(nothing_shown) as connection:
        assert lead_hypothesis(Reader(connection, "inconclusive"))["finding_rank"] == 1
    without = publish_small("without", findings=hypotheses(TOOL))
    with open_published(without) as connection:
        assert lead_hypothesis(Reader(connection, "without")) is None
