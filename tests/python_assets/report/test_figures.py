from pathlib import Path

import pytest

from python_assets.published.query import open_published
from python_assets.report.figures import make_figures
from python_assets.report.reader import Reader
from python_assets.report.write_report import write_report

MEANS = [
    {"calibration": "raw", "grouping_id": "concept", "group_id": group, "statistic": "mean", "parameters": ""}
    | {"value": value, "n_responses": 7, "n_missing": 0, "n_root_prompts": 2}
    for group, value in (("Ideraland", 0.1), ("Chad", 0.2))
]


NAMED = {"slice_id": "all", "system_id": "biased", "measure_id": "sentiment"}


def test_groups_stand_by_size_and_equal_ones_in_declared_order(report):
    shown = report().sections["groups"]
    positions = [shown.index(group) for group in ("Brazil", "Chad", "Ideraland")]
    assert positions == sorted(positions)
    values = {"Brazil": None, "Chad": 0.4, "Ideraland": 0.4, "Peru": 0.1}
    means = [NAMED | MEANS[0] | {"group_id": group, "value": value} for group, value in values.items()]
    shown = report(summary_statistics=means).sections["groups"]
    positions = [shown.index(group) for group in ("Ideraland", "Chad", "Peru", "Brazil")]
    assert positions == sorted(positions)


def test_differences_below_and_above_zero_have_colours_of_their_own(publish_small, tmp_path):
    write_report(publish_small(), "small", tmp_path / "r.html")
    written = (tmp_path / "r.html").read_text()
    assert written.count('class="dot below"') == 1
    assert written.count('class="dot above"') == 1
    assert written.count('class="dot"') == 3 + 1  # the means, and no difference at all


@pytest.fixture
def drawn_first(publish_small):
    """Figures of two measures by two generations; lead: the question whose figure comes first."""
    names = [(measure, name) for measure in ("anger", "sentiment") for name in ("biased", "fair")]
    row = {"kind": "continuous", "unit": "", "direction": "none", "scorer": "vader", "parameters": ""}
    system = {"provider": "p", "model": "m", "system_prompt": "", "decoding_json": "{}"}
    system |= {"is_simulated": True, "is_baseline": False}
    published = publish_small(
        measures=[row | {"measure_id": measure} for measure in ("anger", "sentiment")],
        systems=[system | {"system_id": name} for name in ("biased", "fair")],
        contrasts=[],
        summary_statistics=[
            NAMED | group | {"measure_id": measure, "system_id": name} for measure, name in names for group in MEANS
        ],
    )

    def draw(lead, **options):
        with open_published(published) as connection:
            drawn = make_figures(Reader(connection, "small"), lead, **options)
        return [(figure.key.measure_id, [panel.system_id for panel in figure.panels]) for figure in drawn.drawn]

    return draw


LEAD = {"slice_id": "all", "grouping_id": "concept", "calibration": "raw", "category": None}
LEAD |= {"measure_id": "sentiment", "system_id": "fair"}


def test_the_figure_of_the_hypothesis_in_lead_comes_first_and_its_system_in_it(drawn_first):
    assert drawn_first(LEAD) == [("sentiment", ["fair", "biased"]), ("anger", ["biased", "fair"])]
    assert drawn_first(None)[0] == ("anger", ["biased", "fair"])


def test_the_panel_of_the_hypothesis_in_lead_is_drawn_however_many_there_are(drawn_first):
    assert drawn_first(LEAD, max_rows=1) == [("sentiment", ["fair"])]


def test_a_hypothesis_whose_figure_is_not_drawn_leaves_another_first(drawn_first):
    assert drawn_first(LEAD | {"measure_id": "joy"})[0] == ("anger", ["fair", "biased"])


def test_single_responses_are_drawn_only_where_they_are_those_of_the_mean(report, publish_small, tmp_path):
    assert drawn_values(publish_small(), tmp_path) == 3
    other_count = [{"slice_id": "all", "system_id": "biased", "measure_id": "sentiment"} | row for row in MEANS]
    assert drawn_values(publish_small("other", summary_statistics=other_count), tmp_path, "other") == 0


def test_why_there_is_no_interval_is_said_once_or_in_the_rows_it_holds_for(report, publish_small, page_of):
    named = {"slice_id": "all", "system_id": "biased", "measure_id": "sentiment"}
    few = {"inference_reason": "too_few_root_prompts"}
    everywhere = report(summary_statistics=[named | row | few for row in MEANS]).sections["groups"]
    assert everywhere.count("too few root prompts") == 1
    somewhere = [named | MEANS[0] | few, named | MEANS[1] | {"ci_low": 0.1, "ci_high": 0.3}]
    rows = page_of(publish_small("some", summary_statistics=somewhere), "some").sections["groups"]
    assert "0.100 too few root prompts" in " ".join(rows.split())


def test_counts_that_differ_stand_in_their_rows(report, snapshot):
    named = {"slice_id": "all", "system_id": "biased", "measure_id": "sentiment"}
    means = [named | MEANS[0], named | MEANS[1], named | MEANS[1] | {"group_id": "Brazil", "n_responses": 5}]
    page = report(summary_statistics=means)
    assert page.blocks["groups"][4] == snapshot
    assert page.sections["groups"].count("5 responses, 2 root prompts") == 1


def test_a_measure_without_a_difference_is_named_instead_of_drawn(report, snapshot):
    means = [
        {"slice_id": "all", "system_id": "biased", "measure_id": "sentiment", "value": 0.5} | row
        for row in [{**row, "value": 0.5} for row in MEANS]
    ]
    assert report(summary_statistics=means).blocks["groups"][1] == snapshot


def test_shares_of_a_label_are_drawn_with_its_name(report):
    row = {"slice_id": "all", "system_id": "biased", "measure_id": "sentiment", "grouping_id": "concept"}
    shares = [
        row | {"group_id": group, "category": "yes <b>", "n": n, "share": n / 4, "n_group": 4}
        for n, group in enumerate(("Ideraland", "Chad"))
    ]
    measures = [
        {"measure_id": "sentiment", "kind": "categorical", "unit": "", "direction": "none", "scorer": "choices"}
        | {"parameters": ""}
    ]
    page = report(outcome_distributions=shares, summary_statistics=[], measures=measures)
    assert "sentiment: “yes <b>” by concept" in page.sections["groups"]


def test_panels_left_out_for_length_are_counted_and_those_that_show_a_difference_come_first(publish_small):
    row = {"slice_id": "all", "measure_id": "sentiment"}
    means = [row | {"system_id": name} | group for name in ("biased", "baseline") for group in MEANS]
    shown = {**row, "system_id": "baseline", "calibration": "raw", "grouping_id": "concept", "category": ""}
    shown |= {"group_id": "Chad", "contrast": "mean_difference", "reference": "rest", "value": 1.0}
    published = publish_small(summary_statistics=means, contrasts=[shown | {"verdict": "different"}])
    with open_published(published) as connection:
        drawn = make_figures(Reader(connection, "small"), None, max_rows=3)
    assert [panel.system_id for panel in drawn.drawn[0].panels] == ["baseline"]
    assert drawn.drawn[0].n_systems == 2
    assert drawn.n_left_out == 1


def drawn_values(published: Path, folder: Path, study_id: str = "small") -> int:
    write_report(published, study_id, folder / "r.html")
    return (folder / "r.html").read_text().count('class="value"')
