"""The page of negative controls, page one, figures and counts of a study that has them."""

import pytest

from python_assets.published.query import open_published
from python_assets.report.negative_controls import controls_section
from python_assets.report.reader import Reader
from python_assets.report.result_cards import lead_hypothesis, study_facts
from tests.account import account_of
from tests.python_assets.report.conftest import SENTIMENT, small_study

EDITS = {"car-red": ("colour", 0.4), "car-silver": ("colour", -1.15), "rain": ("weather", 0.31), "noop": (None, 0.44)}
OWN = SENTIMENT | {"grouping_id": "negative_control", "statistic": "mean", "parameters": ""}
CONTROLLED = {
    "p_permuted": 0.0002,
    "q_permuted": 0.0004,
    "p_negative_controls": 0.6,
    "n_negative_controls": 4,
    "n_control_types": 3,
    "wording_sd": 0.2,
    "wording_sd_low": 0.05,
    "wording_sd_high": 0.9,
    "control_floor": 0.45,
    "wording": "negative_controls",
}
TAKEN = CONTROLLED | {
    "verdict": "inconclusive",
    "verdict_reason": "not_beyond_controls",
    "p_value": 0.6,
    "q_value": 0.72,
    "n_groups": 3,
}
LOUD = OWN | {
    "finding_rank": 2,
    "family_id": "negative_control",
    "verdict": "different",
    "p_value": 0.0002,
    "q_value": 0.0002,
    "n_groups": 4,
    "sentence": "biased: Irrelevant edits move the average sentiment (p < .001; most: car-silver, -1.15).",
    "headline_metric": "mean_difference",
    "headline_group_id": "car-silver",
    "headline_value": -1.15,
    "largest_group_id": "car-silver",
    "largest_value": -1.15,
}


def controlled(**finding):
    """The rows of the small study with four control edits; of its one finding the controls leave nothing."""
    study = small_study(is_simulated=False)
    first = study["findings"][0] | TAKEN | finding
    findings = [first, LOUD | {"is_tool_bias": False, "is_repeated": False, "is_preregistered": False}]
    values = {name: value for name, (_, value) in EDITS.items()}
    of_edits = [
        SENTIMENT
        | {
            "negative_control": name,
            "category": "",
            "control_position": place,
            "control_type": kind,
            "edit_text": f"The {name}.",
            "value": value,
            "ci_low": value - 0.3,
            "ci_high": value + 0.3,
            "q_value": 0.0004 if name == "car-silver" else 0.4,
            "verdict": "different" if name == "car-silver" else "inconclusive",
        }
        for place, (name, (kind, value)) in enumerate(EDITS.items())
    ]
    for row in of_edits:
        row.pop("calibration")
    means = [
        OWN | {"group_id": name, "value": 0.3 + value / 5, "n_responses": 2, "n_missing": 0, "n_root_prompts": 2}
        for name, value in values.items()
    ]
    differences = [
        OWN
        | {"group_id": name, "contrast": "mean_difference", "category": "", "reference": "rest", "value": value / 5}
        | {"verdict": "different", "q_value": 0.01}
        for name, value in values.items()
    ]
    own_range = OWN | {"metric": "range", "value": 1.6, "verdict": "different", "n_groups": 4}
    of_concept = [{"statistic": "mean", "parameters": ""} | row for row in study["contrasts"]]
    return {
        "findings": findings,
        "hypotheses": account_of(findings),
        "v_negative_controls": of_edits,
        "summary_statistics": study["summary_statistics"] + means,
        "contrasts": of_concept + differences,
        "disparities": [*study["disparities"], own_range],
    }


@pytest.fixture
def reader_of(publish_small):
    def read(rows, ask):
        with open_published(publish_small(**rows)) as connection:
            return ask(Reader(connection, "small"))

    return read


def test_the_page_has_every_control_with_its_value_and_what_they_leave_of_findings(report, snapshot):
    page = report(**controlled())
    assert page.blocks["negative-controls"] == snapshot
    text = " ".join(page.sections["negative-controls"].split())
    for name in EDITS:
        assert name in text
    assert "not beyond controls" in text
    assert "<.001.600.720" in text, "q of these words alone stands beside q with controls"


def test_a_study_without_controls_has_no_page_of_them(report, reader_of):
    assert reader_of({}, controls_section) is None
    assert "negative-controls" not in report().sections


def test_types_of_which_one_is_missing_are_not_declared(reader_of):
    section = reader_of(controlled(), controls_section)
    assert section is not None
    assert section.n_types is None
    rows = controlled()
    rows["v_negative_controls"] = [row | {"control_type": "any"} for row in rows["v_negative_controls"]]
    assert reader_of(rows, controls_section).n_types == 1


@pytest.mark.parametrize(("of_edits", "is_told"), [(4.0, False), (6.5, True), (1.0, True), (None, False)])
def test_lengths_are_told_where_one_is_more_than_twice_the_other(report, of_edits, is_told):
    lengths = [{"negative_control": name, "n_words": of_edits, "n_words_of_groups": 3.0} for name in EDITS]
    text = " ".join(report(**controlled(), negative_controls=lengths).sections["negative-controls"].split())
    assert ("words of a prompt on average" in text) is is_told


def test_of_a_measure_of_slices_alone_one_slice_is_drawn(reader_of):
    rows = controlled()
    rows["v_negative_controls"] = [
        row | {"slice_id": slice_id, "p_wording": p}
        for slice_id, p in (("school", 0.01), ("name", 0.002))
        for row in rows["v_negative_controls"]
    ]
    (block,) = reader_of(rows, controls_section).blocks
    assert block.measure == "sentiment, slice name"


def test_controls_head_no_page_and_are_no_finding(reader_of):
    rows = controlled()
    facts = reader_of(rows, study_facts)
    assert facts.n_facts == 0
    assert facts.total["n_hypotheses"] == 1
    assert facts.total["n_significant"] == 0
    assert [row["family_id"] for row in facts.tested] == ["primary"]
    assert facts.of_systems["n_tested"] == 1
    assert reader_of(rows, lead_hypothesis)["grouping_id"] == "concept"


def test_page_one_says_how_wording_was_controlled_and_which_score_edits_move(report, snapshot):
    blocks = report(**controlled()).blocks["findings"]
    assert [text for text in blocks if "control edit" in text or "rrelevant edits" in text] == snapshot
    one_wording = {"wording": "one_wording", "p_negative_controls": None, "verdict_reason": None, "q_permuted": None}
    study = small_study(is_simulated=False)
    findings = [study["findings"][0] | one_wording | {"p_value": 0.01}]
    blocks = report(findings=findings, hypotheses=account_of(findings), v_negative_controls=[]).blocks["findings"]
    assert len([text for text in blocks if text.startswith("Each group has one wording and no control edit")]) == 1


def test_the_figure_has_controls_as_grey_dots_and_the_floor_as_a_band(publish_small, tmp_path):
    from python_assets.report.write_report import write_report

    out = tmp_path / "page.html"
    write_report(publish_small(**controlled()), "small", out)
    html = out.read_text(encoding="utf-8")
    panel = html.split('id="figure-1"')[1].split("</figure>")[0]
    assert panel.count('<path class="control"') == 2, "of means and of differences"
    assert panel.count('<rect class="band"') == 8, "of three groups and of the controls, in both"
    assert "4 control edits" in panel
    assert "range up to 0.450 expected" in panel
    assert "negative control" not in panel, "they are no grouping with a figure of its own"


def test_a_figure_without_controls_is_as_it_was(publish_small, tmp_path):
    from python_assets.report.write_report import write_report

    out = tmp_path / "page.html"
    write_report(publish_small(), "small", out)
    panel = out.read_text(encoding="utf-8").split('id="figure-1"')[1].split("</figure>")[0]
    assert "control" not in panel
    assert "band" not in panel


def test_tables_of_whole_groupings_leave_controls_out(report):
    assert "negative_control" not in report(**controlled()).sections["disparities"]


def test_the_card_says_what_words_a_finding_is_about(report):
    stays = {"verdict": "different", "verdict_reason": None, "p_value": 0.01, "q_value": 0.02}
    text = " ".join(report(**controlled(**stays)).sections["findings"].split())
    assert "similar prompts, these words (compared with 4 control edits)" in text
