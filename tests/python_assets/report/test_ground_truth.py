"""Ground truth in the report: heatmaps with the model beside the truth, and what stands in no number."""

import duckdb
import pytest

from python_assets.report.ground_truth import MAX_HEATMAPS, ground_truth_section
from python_assets.report.reader import Reader

PLACE = {"slice_id": "all", "measure_id": "job", "grouping_id": "concept"}
SOURCE = {"source": "Office <of> figures", "licence": "CC0", "period": "2024"}
NASTY = 'chief "boss", <retired>'


def rows(system="biased"):
    """Of two groups: an answered category, one that nobody named, and a label that the truth lacks."""
    place = PLACE | SOURCE | {"system_id": system}
    shares = {
        ("", "Chad"): (6, 10, 0.6, 0.5, 0.005, None),
        ("", "Brazil"): (4, 10, 0.4, 0.5, 0.005, None),
        (NASTY, "Chad"): (6, 10, 0.6, 0.25, 0.065, None),
        (NASTY, "Brazil"): (4, 10, 0.4, 0.75, 0.065, None),
        ("cook", "Chad"): (0, 0, None, 0.9, None, "category_not_answered"),
        ("cook", "Brazil"): (0, 0, None, 0.1, None, "category_not_answered"),
        ("poet", "Chad"): (3, None, None, None, None, "not_in_truth"),
    }
    names = ("n", "n_category", "model_share", "truth_share", "jsd_nats", "reason")
    return [
        place | {"category": category, "group_id": group} | dict(zip(names, values, strict=True))
        for (category, group), values in shares.items()
    ]


def sizes(system="biased"):
    place = PLACE | {"system_id": system, "calibration": "raw", "statistic": "ground_truth"}
    return [
        place | {"parameters": "table=t;period=2024", "metric": metric, **numbers}
        for metric, numbers in {
            "jsd_truth_by_group": {"value": 0.2, "null_q95": 0.05, "p_value": 0.001, "band": "yellow"},
            "jsd_truth_weighted": {
                "value": 0.065, "null_q95": 0.09, "p_value": 0.2, "band": "green", "verdict": "inconclusive",
                "method": "multinomial of 9 independent responses",
            },
        }.items()
    ]  # fmt: skip


@pytest.fixture
def read(publish_small):
    def section(**tables):
        connection = duckdb.connect(str(publish_small(**tables)), read_only=True)
        return ground_truth_section(Reader(connection, "small"))

    return section


def test_a_heatmap_has_the_model_beside_the_truth_in_the_order_of_groups(read):
    (drawn,) = read(ground_truth=rows(), disparities=sizes()).drawn
    assert drawn.groups == ["Chad", "Brazil"]
    assert (drawn.together.model, drawn.together.truth, drawn.together.n) == ([0.6, 0.4], [0.5, 0.5], 10)
    assert [(line.name, line.model, line.truth) for line in drawn.categories] == [
        (NASTY, [0.6, 0.4], [0.25, 0.75]),
        ("cook", [None, None], [0.9, 0.1]),
    ]
    assert drawn.categories[1].reason == "category_not_answered"
    assert [(row["category"], row["n"]) for row in drawn.unknown] == [("poet", 3)]
    assert [row["metric"] for row in drawn.sizes] == ["jsd_truth_weighted", "jsd_truth_by_group"]
    assert drawn.sizes[0]["distance"] == pytest.approx(0.3062, abs=1e-4)


def test_a_truth_of_shares_alone_has_no_line_of_all_categories(read):
    nothing = {"jsd_nats": None, "truth_share": None, "reason": "no_truth_counts"}
    alone = [row | ({} if row["category"] else nothing) for row in rows()]
    assert read(ground_truth=alone).drawn[0].together is None


def test_more_systems_than_are_drawn_are_counted(read):
    many = [row for place in range(MAX_HEATMAPS + 2) for row in rows(f"g{place:02d}")]
    found = read(ground_truth=many)
    assert (len(found.drawn), found.n_all) == (MAX_HEATMAPS, MAX_HEATMAPS + 2)


def test_the_page_shows_shares_sizes_and_what_is_left_out(report):
    page = report(ground_truth=rows(), disparities=sizes())
    shown = page.sections["ground-truth"]
    assert NASTY in shown  # as text: the parser has read the entities
    assert "retired" not in {tag for tag, _ in page.tags}
    styles = [attributes["style"] for tag, attributes in page.tags if tag == "td" and attributes.get("style")]
    assert [style for style in styles if style.startswith("--share:")][:4] == [
        f"--share:{share}%" for share in (60, 40, 50, 50)
    ]
    assert shown.count("category not answered") == 1
    assert "“poet” of Chad (3 answers)" in shown
    assert "Office <of> figures; CC0." in shown
    assert "yellow" in shown
