"""Pictures of subgroups: two rings of log disparities, and the rates of all subgroups beside the ideal."""

import math
import re
from itertools import product

import duckdb
import pytest

from python_assets.report.charts import make_axis
from python_assets.report.reader import Reader
from python_assets.report.staircase import N_STYLES, STAIRCASE_HEIGHT, staircases
from python_assets.report.subgroups import MAX_SUNBURSTS, subgroups_section
from python_assets.report.sunburst import RADII, RingBranch, Sector, sunburst
from tests.python_assets.report.conftest import Page

PLACE = {"slice_id": "all", "measure_id": "biased"}
TOPICS, GROUPS = ("jobs", "crime"), ("Süd & Nord", "<b>", "x")


def row(system, grouping, group, **numbers):
    counts = {"n_responses": 10, "n_missing": 0, "n_root_prompts": 5, "n_deviating": 4}
    return PLACE | counts | {"system_id": system, "grouping_id": grouping, "group_id": group} | numbers


def subgroup_rows(system="biased", shift=0.0):
    """Disparities that can be told, that cannot, and one without odds."""
    told = {"log_disparity": 1.2, "log_disparity_ci_low": 0.4, "log_disparity_ci_high": 2.0}
    open_ = {"log_disparity": -0.3, "log_disparity_ci_low": -1.0, "log_disparity_ci_high": 0.4}
    never = {"reason": "rate_zero_or_one", "inference_reason": "unbounded", "n_deviating": 0}
    rates = {"jobs": told | {"deviation_rate": 0.4}, "crime": open_ | {"deviation_rate": 0.2}}
    first = [row(system, "topic", topic, **rates[topic]) for topic in TOPICS]
    second = [
        row(system, "topic x group", f"{topic} x {group}", **(numbers | {"deviation_rate": rate + shift}))
        for (topic, group), (numbers, rate) in zip(
            product(TOPICS, GROUPS),
            [(told, 0.6), (open_, 0.2), (never, 0.0), (open_, 0.1), (open_, 0.3), (told, 0.5)],
            strict=True,
        )
    ]
    return first + second


def metric_rows(*systems):
    values = {"deviation_metric": 0.283, "share_below_0_2": 1 / 3}
    return [
        PLACE
        | {"system_id": system, "grouping_id": grouping, "statistic": "deviation_rate", "metric": metric}
        | {"value": value, "ideal": 0.0 if metric == "deviation_metric" else None, "n_subgroups": 6}
        for system in systems
        for grouping in ("topic", "topic x group")
        for metric, value in values.items()
    ]


@pytest.fixture
def read(publish_small):
    def section(**tables):
        connection = duckdb.connect(str(publish_small(**tables)), read_only=True)
        return subgroups_section(Reader(connection, "small"))

    return section


def test_both_pictures_are_on_the_page_with_names_as_text(report, snapshot):
    page = report(subgroups=subgroup_rows(), subgroup_metrics=metric_rows("biased"))
    kinds = [attributes.get("class") for tag, attributes in page.tags if tag == "svg"]
    assert kinds.count("sunburst") == 1
    assert kinds.count("ecdf") == 1
    shown = page.sections["subgroups"]
    assert re.findall(r"jobs x .*? of 10 responses", shown) == snapshot
    assert "0.283" in shown


def test_sectors_are_grey_where_no_difference_can_be_told(read):
    (ring,) = read(subgroups=subgroup_rows(), subgroup_metrics=metric_rows("biased")).rings
    assert (ring.inner, ring.outer) == ("topic", "group")
    classes = re.findall(r'<path class="(\w+)"', ring.picture)
    assert classes == ["grey", "grey", "grey", "more", "more", "grey", "more", "untold"]
    assert {row["group_id"] for row in ring.furthest} == {"jobs", "jobs x Süd & Nord", "crime x x"}


def test_nothing_is_drawn_of_what_never_deviates(read):
    rows = [one | {"n_deviating": 0} for one in subgroup_rows()]
    found = read(subgroups=rows, subgroup_metrics=metric_rows("biased"))
    assert (found.rings, found.distributions, found.n_subgroups) == ([], [], len(rows))


def test_rings_need_their_first_factor_by_itself(read):
    rows = [one for one in subgroup_rows() if one["grouping_id"] != "topic"]
    found = read(subgroups=rows, subgroup_metrics=metric_rows("biased"))
    assert not found.rings
    assert len(found.distributions) == 1


def test_a_system_without_responses_has_no_picture(read):
    silent = [
        one | {"n_responses": 0, "n_deviating": 0, "deviation_rate": None, "reason": "no_values"}
        for one in subgroup_rows("silent")
    ]
    found = read(subgroups=subgroup_rows() + silent, subgroup_metrics=metric_rows("biased"))
    assert [ring.system_id for ring in found.rings] == ["biased"]
    assert [line.system_id for line in found.distributions[0].staircases] == ["biased"]


def test_what_is_left_out_is_counted(read):
    names = [f"g{place}" for place in range(N_STYLES + 2)]
    found = read(subgroups=[one for name in names for one in subgroup_rows(name)], subgroup_metrics=metric_rows(*names))
    assert (len(found.rings), found.n_rings) == (MAX_SUNBURSTS, len(names))
    (distribution,) = found.distributions
    assert (len(distribution.staircases), distribution.n_systems) == (N_STYLES, len(names))


def test_rings_too_fine_to_be_told_apart_are_counted(report, monkeypatch):
    monkeypatch.setattr("python_assets.report.subgroups.MAX_SECTORS", 5)
    page = report(subgroups=subgroup_rows(), subgroup_metrics=metric_rows("biased"))
    assert "1 sunburst of more than" in page.sections["subgroups"]
    assert "sunburst" not in [attributes.get("class") for tag, attributes in page.tags if tag == "svg"]


def test_naive_p_stand_beside_the_distance(report):
    pair = {"system_id": "biased", "reference_system_id": "fair", "comparison": "kolmogorov_smirnov"}
    numbers = {"value": 0.44, "p_value_exact": 0.021, "p_value_asymptotic": 0.034}
    page = report(
        subgroups=subgroup_rows() + subgroup_rows("fair", 0.1),
        subgroup_metrics=metric_rows("biased", "fair"),
        system_comparisons=[
            {**PLACE, "calibration": "raw", "grouping_id": "topic x group", "group_id": "", **pair, **numbers}
        ],
    )
    shown = page.sections["subgroups"]
    assert "naive p, exact" in shown
    assert ".021" in shown


def test_sectors_fill_both_rings():
    sectors = [Sector(f"level {place}", 0.5, False, "") for place in range(5)]
    picture = sunburst([RingBranch(sectors[0], sectors[:2]), RingBranch(sectors[1], sectors[2:])], "title")
    outlines = re.findall(r'd="M([-\d.]+) ([-\d.]+)L([-\d.]+) ([-\d.]+)', picture)
    radii = {(round(math.hypot(*map(float, o[:2]))), round(math.hypot(*map(float, o[2:])))) for o in outlines}
    assert radii == {(58, 132), (132, 206)}
    assert len(outlines) == 7
    outer = [(float(x), float(y)) for x, y, *_ in outlines if math.hypot(float(x), float(y)) > 100]
    starts = sorted(math.atan2(x, -y) % (2 * math.pi) for x, y in outer)
    assert starts == pytest.approx([2 * math.pi * place / 5 for place in range(5)], abs=1e-3)


def test_one_sector_is_a_whole_ring():
    only = Sector("all", -1.0, False, "")
    picture = sunburst([RingBranch(only, [only])], "title")
    assert picture.count("A206 206") == 2, "two halves: an arc from a point to itself is none"
    assert RADII[2] == 206


def test_a_name_is_never_markup():
    picture = sunburst([RingBranch(Sector("<b>", 1.0, False, "<i>"), [Sector("a & b", 1.0, False, "")])], "<title>")
    Page(picture)
    assert "<b>" not in picture
    assert "&lt;i&gt;" in picture


def test_a_staircase_rises_at_every_value_from_none_to_all():
    axis = make_axis([0.0, 1.0])
    picture = staircases(axis, [[0.5, 0.25]], ideal=0.0)
    (stairs,) = re.findall(r'class="stairs stairs-0" d="([^"]+)"', picture)
    assert stairs == f"M0 {STAIRCASE_HEIGHT}H{axis.x(0.25)}V{STAIRCASE_HEIGHT / 2}H{axis.x(0.5)}V0.0H1000"
    assert f'class="ideal" d="M{axis.x(0.0)} 0V{STAIRCASE_HEIGHT}"' in picture
