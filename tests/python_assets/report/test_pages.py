"""What the pages with filters show in a browser: a study of two root prompts, three groups and two models."""

import json
import re
from collections.abc import Callable

import numpy as np
import pytest

from bench.chromium import CHROMIUM, Browser, browser
from python_assets.published.query import open_published
from python_assets.report.dashboard import pack_dashboard
from python_assets.report.reader import Reader
from python_assets.report.text import number, probability
from python_assets.report.write_report import write_report
from tests.python_assets.report.conftest import CONFIG, GROUPS, ROOTS, SENTIMENT
from tests.python_assets.report.test_report import ATTACK

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed: apt-get install chromium")

GENERATIONS = ("biased", "fair")
BY_CONCEPT = SENTIMENT | {"grouping_id": "concept"}
VALUES = {
    (generation, root, group): 0.51 * (generation == "fair")
    + 0.23 * GROUPS.index(group)
    - 0.1337 * (root == "r2")
    for generation in GENERATIONS
    for root in ROOTS
    for group in GROUPS
}
BASELINE = {root: 0.27 * place for place, root in enumerate(ROOTS)}


def generation(name: str, **changed) -> dict:
    row = {"generation_id": name, "provider": "p", "model": "m", "role": "", "template": "", "extension": ""}
    row |= {"system_prompt": "", "decoding_json": "{}", "is_simulated": True, "is_baseline": False}
    return row | changed


def measured(measure_id: str = "sentiment", **values) -> list[dict]:
    """A row a response; values by column, as functions of (generation, root, group)."""
    return [
        {"generation_id": key[0], "prompt_id": f"{key[1]}_{key[2]}", "replicate": 0, "measure_id": measure_id}
        | {"extractor_version": "1"}
        | {name: value(*key) for name, value in values.items()}
        for key in VALUES
    ]


def measure(measure_id: str, kind: str = "continuous", extractor: str = "vader") -> dict:
    return {
        "measure_id": measure_id,
        "kind": kind,
        "extractor": extractor,
        "direction": "none",
        "scale_low": 0.0,
    }


def responses(said: Callable[[str, str, str], str]) -> list[dict]:
    return [
        {"generation_id": key[0], "prompt_id": f"{key[1]}_{key[2]}", "replicate": 0, "status": "ok"}
        | {"response_text": said(*key)}
        for key in VALUES
    ]


SENTIMENTS = measured(value=lambda *key: VALUES[key], baseline_value=lambda g, root, c: BASELINE[root])
STUDY = {
    "summary_statistics": [],
    "contrasts": [],
    "disparities": [],
    "generations": [generation(name) for name in GENERATIONS],
    "measures": [measure("sentiment")],
    "measurements": SENTIMENTS,
    "responses": responses(lambda g, root, group: f"{g} says {group} is fine after {root}."),
}


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    """One browser for all tests of this file."""
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def page(tab, publish_small, tmp_path) -> Callable[..., Browser]:
    """Open a page of the study; keywords replace the rows of a mart. It ends with an empty console."""

    def show(fragment: str, *, scripts: bool = True, **replaced) -> Browser:
        out = tmp_path / "report.html"
        if replaced or not out.exists():
            write_report(publish_small(**{**STUDY, **replaced}), "small", out)
        tab.open(out, fragment, scripts=scripts)
        return tab

    tab.complaints.clear()
    yield show
    assert tab.complaints == []


def cells(opened: Browser, table: str) -> list[list[str]]:
    """The text of every row of a table's body."""
    return opened.run(
        f"""[...document.querySelectorAll({json.dumps(table + " tbody tr")})].map(
            (row) => [...row.children].map((cell) => cell.innerText.trim()))"""
    )


def text_of(opened: Browser, selector: str) -> str:
    return opened.run(f"document.querySelector({json.dumps(selector)}).innerText")


def strips(opened: Browser) -> dict[str, list[str]]:
    return {row[0]: row[2:] for row in cells(opened, "#measurements .strips")}


def mean(keys) -> str:
    return number(float(np.mean([VALUES[key] for key in keys])))


def test_only_the_page_asked_for_is_shown(page):
    shown = """["report", "measurements", "statistics", "disparity"].filter(
        (id) => document.getElementById(id).getClientRects().length)"""
    opened = page("")
    assert opened.run(shown) == ["report"]
    opened.click('nav.pages a[data-page="disparity"]')
    assert opened.run(shown) == ["disparity"]
    assert opened.run('document.querySelector("nav.pages [aria-current]").innerText') == "Disparity"
    assert page("coverage").run(shown) == ["report"]


def test_without_scripts_the_report_reads_and_the_pages_stay_away(page):
    opened = page("measurements", scripts=False)
    markup = opened.send("DOM.getDocument", depth=-1)
    assert "root" in markup
    root = markup["root"]["nodeId"]
    shown = opened.send("DOM.querySelector", nodeId=root, selector="#findings")["nodeId"]
    assert opened.send("DOM.getBoxModel", nodeId=shown)["model"]["height"] > 100
    for hidden in ("nav.pages", "#measurements", "#statistics", "#disparity"):
        node = opened.send("DOM.querySelector", nodeId=root, selector=hidden)["nodeId"]
        with pytest.raises(RuntimeError, match="box model"):
            opened.send("DOM.getBoxModel", nodeId=node)


def test_a_row_has_the_mean_and_the_counts_of_its_values(page):
    found = strips(page("measurements"))
    assert found == {name: [mean(key for key in VALUES if key[0] == name), "6", "0"] for name in GENERATIONS}


def test_rows_may_be_groups(page):
    found = strips(page("measurements?rows=group"))
    assert list(found) == list(GROUPS)
    assert found["Chad"] == [mean(key for key in VALUES if key[2] == "Chad"), "4", "0"]


def test_means_of_every_cell_stand_in_a_table(page):
    opened = page("measurements")
    opened.click("#open-means")
    assert cells(opened, "#means table") == [
        [
            group,
            *(
                f"{np.mean([VALUES[name, root, group] for root in ROOTS]):.3f}".replace("-", "−")
                for name in GENERATIONS
            ),
        ]
        for group in GROUPS
    ]


def test_a_calibrated_value_is_less_its_own_baseline(page):
    expected = np.mean([VALUES[key] - BASELINE[key[1]] for key in VALUES if key[0] == "fair"])
    assert strips(page("measurements?calibration=calibrated"))["fair"][0] == number(float(expected))


@pytest.mark.parametrize(
    ("fragment", "keeps"),
    [
        ("generation_id=fair", lambda g, root, group: g == "fair"),
        ("factor.concept=Chad", lambda g, root, group: group == "Chad"),
        ("factor.concept=Chad&factor.concept=Brazil", lambda g, root, group: group != "Ideraland"),
        ("factor.keyword=k_r2", lambda g, root, group: root == "r2"),
        (
            "factor.source_tag=s_r1&generation_id=biased",
            lambda g, root, group: root == "r1" and g == "biased",
        ),
        ("slice_id=part", lambda g, root, group: group in ("Chad", "Brazil")),
        ("role=pirate", lambda g, root, group: g == "fair"),
    ],
)
def test_a_filter_leaves_what_it_names(page, fragment, keeps):
    factors = [
        {"prompt_id": f"{root}_{group}", "factor": factor, "level": level}
        for root in ROOTS
        for group in GROUPS
        for factor, level in (("concept", group), ("keyword", f"k_{root}"), ("source_tag", f"s_{root}"))
    ]
    config = CONFIG | {"slices": {"part": {"concept": ["Chad", "Brazil"]}}}
    study = {"title": "t", "domain": "d", "config_json": json.dumps(config), "config_sha256": "c"}
    study |= {"plumbline_version": "v", "run_id": "r"}
    roles = [generation("biased"), generation("fair", role="pirate"), generation("other", role="pirate")]
    without = SENTIMENTS[0] | {"generation_id": "other", "value": None, "reason": "no_words"}
    study_of_roles = {"studies": [study], "generations": roles, "measurements": [*SENTIMENTS, without]}
    found = strips(page(f"measurements?{fragment}", prompt_factors=factors, **study_of_roles))
    found.pop("other", None)
    expected = {
        name: [mean(kept), str(len(kept)), "0"]
        for name in GENERATIONS
        if (kept := [key for key in VALUES if key[0] == name and keeps(*key)])
    }
    assert found == expected


def test_a_list_ticked_by_hand_filters_and_stays_open(page):
    opened = page("measurements")
    opened.click("#open-generation_id")
    opened.click("#choose-generation_id-1")
    assert list(strips(opened)) == ["fair"]
    assert opened.run('document.getElementById("several-generation_id").open')
    assert opened.run("document.activeElement.id") == "choose-generation_id-1"
    opened.click("#clear-generation_id")
    assert list(strips(opened)) == list(GENERATIONS)


def test_what_is_chosen_goes_along_to_the_next_page(page):
    opened = page("measurements?measure_id=sentiment&generation_id=fair")
    opened.click('nav.pages a[data-page="statistics"]')
    assert opened.run("location.hash") == "#statistics?measure_id=sentiment&generation_id=fair"


def test_a_missing_value_is_counted_apart_and_shows_its_reason(page):
    def value(*key):
        return None if key[1] == "r1" else VALUES[key]

    def reason(*key):
        return "response_refused" if key[1] == "r1" else None

    opened = page("measurements", measurements=measured(value=value, reason=reason))
    kept = [key for key in VALUES if key[0] == "fair" and key[1] == "r2"]
    assert strips(opened)["fair"] == [mean(kept), "3", "3"]
    opened.click("#row-fair")
    assert [row[-1] for row in listed(opened)][:3] == ["response refused"] * 3


def listed(opened: Browser) -> list[list[str]]:
    opened.run(
        """new Promise((resolve) => { (function look() {
            document.querySelector("#responses table") ? resolve(true) : setTimeout(look, 10); })(); })"""
    )
    return cells(opened, "#responses table")


def test_a_click_on_a_name_lists_its_responses(page):
    opened = page("measurements")
    opened.click("#row-fair")
    rows = listed(opened)
    assert [row[2] for row in rows] == [
        f"fair says {group} is fine after {root}." for root in ROOTS for group in sorted(GROUPS)
    ]
    assert rows[0][1] == "Brazil is"
    assert rows[0][3] == number(VALUES["fair", "r1", "Brazil"])
    opened.click("#close")
    assert not opened.run('document.getElementById("responses")')


def test_a_click_on_a_mean_lists_the_responses_of_that_cell(page):
    opened = page("measurements")
    opened.click('.strips tr:nth-child(2) .mark[title^="Chad"]')
    assert text_of(opened, "#responses-heading") == "Responses: fair, Chad"
    assert [row[2] for row in listed(opened)] == [f"fair says Chad is fine after {root}." for root in ROOTS]


def test_responses_are_listed_by_value_a_page_at_a_time(page):
    n = 45
    prompts = [
        {"prompt_id": f"p{i:02d}", "root_prompt_id": f"p{i:02d}", "prompt_text": "x"} for i in range(n)
    ]
    common = [{"generation_id": "biased", "prompt_id": row["prompt_id"], "replicate": 0} for row in prompts]
    opened = page(
        "measurements?row=biased&order=highest+first",
        prompts=prompts,
        prompt_factors=[
            {"prompt_id": row["prompt_id"], "factor": "concept", "level": "Chad"} for row in prompts
        ],
        responses=[row | {"status": "ok", "response_text": f"said {i}"} for i, row in enumerate(common)],
        measurements=[
            row | {"measure_id": "sentiment", "value": float(i * 7 % n), "extractor_version": "1"}
            for i, row in enumerate(common)
        ],
    )
    assert [row[3] for row in listed(opened)] == [str(n - 1 - place) for place in range(20)]
    opened.click("#later")
    opened.click("#later")
    assert [row[3] for row in listed(opened)] == ["4", "3", "2", "1", "0"]
    assert opened.run('document.getElementById("later").disabled')


def test_baseline_texts_are_listed_as_what_they_are(page):
    prompts = [
        {
            "prompt_id": f"{root}_{group}",
            "root_prompt_id": root,
            "prompt_text": "p",
            "baseline_text": f"base {group}",
        }
        for root in ROOTS
        for group in GROUPS
    ]
    base = [row | {"generation_id": "baseline"} for row in SENTIMENTS[:6]]
    opened = page(
        "measurements?row=baseline",
        prompts=prompts,
        measurements=[*SENTIMENTS, *base],
        generations=[*STUDY["generations"], generation("baseline", is_baseline=True, is_simulated=False)],
    )
    assert listed(opened)[0][2].split("\n")[0] == "base Brazil"
    assert "own baseline text" in listed(opened)[0][2]


def test_what_models_and_files_say_is_text_on_every_page(page):
    factors = [
        {"prompt_id": f"{root}_{group}", "factor": "concept", "level": ATTACK}
        for root in ROOTS
        for group in GROUPS
    ]
    prompts = [
        {"prompt_id": f"{root}_{group}", "root_prompt_id": root, "prompt_text": ATTACK}
        for root in ROOTS
        for group in GROUPS
    ]
    rows = [row | {"generation_id": ATTACK, "measure_id": ATTACK} for row in SENTIMENTS[:6]]
    named = {"slice_id": "all", "generation_id": ATTACK, "measure_id": ATTACK, "calibration": "raw"}
    named |= {"grouping_id": "concept", "statistic": ATTACK, "parameters": ATTACK, "value": 1.0}
    study = {
        "prompts": prompts,
        "prompt_factors": factors,
        "generations": [generation(ATTACK)],
        "measures": [measure(ATTACK, extractor=ATTACK)],
        "measurements": rows,
        "responses": [{**row, "generation_id": ATTACK} for row in responses(lambda *key: ATTACK)[:6]],
        "summary_statistics": [named | {"group_id": ATTACK, "n_responses": 1}],
        "disparities": [
            named | {"metric": name, "group_low": ATTACK, "group_high": ATTACK, "verdict": "bias_shown"}
            for name in ("max", "min", "mean", ATTACK)
        ],
    }
    opened = page("measurements", **study)
    opened.run(
        """location.replace("#measurements?" + new URLSearchParams({
            row: document.querySelector("button.name").innerText}))"""
    )
    opened.drawn()
    assert listed(opened)[0][2] == ATTACK
    for fragment in ("statistics", "disparity"):
        assert ATTACK in text_of(page(fragment), f"#{fragment} .content")
    assert opened.run("document.querySelectorAll('script').length") == 4


def statistics(**changed) -> list[dict]:
    return [
        BY_CONCEPT
        | {"generation_id": name, "group_id": group, "statistic": "mean", "parameters": "", "n_responses": 2}
        | {"value": 0.1 * place - 0.2 * (name == "fair"), "ci_low": -1.0}
        | changed
        for name in GENERATIONS
        for place, group in enumerate(GROUPS)
    ]


def test_the_heatmap_shows_the_published_statistics(page):
    opened = page("statistics", summary_statistics=statistics())
    assert cells(opened, "#statistics .heat") == [
        ["Ideraland", "0.000", "−0.200"], ["Chad", "0.100", "−0.100"], ["Brazil", "0.200", "0.000"],
    ]  # fmt: skip
    title = opened.run('document.querySelector("#statistics .heat tbody td").title')
    assert title == "Ideraland, biased, interval −1 to unbounded, 2 responses"


def test_any_statistic_and_measure_of_the_tables_can_be_chosen(page):
    rows = [*statistics(), *statistics(statistic="new_one", parameters="a=1;b=2", value=7.0)]
    opened = page("statistics", summary_statistics=rows)
    options = opened.run('[...document.querySelectorAll("#choose-statistic option")].map((o) => o.value)')
    assert options == ["mean", "new one (a=1; b=2)"]
    opened.run("""(() => { const list = document.getElementById("choose-statistic");
        list.value = "new one (a=1; b=2)"; list.dispatchEvent(new Event("change")); })()""")
    opened.drawn()
    assert cells(opened, "#statistics .heat")[0] == ["Ideraland", "7", "7"]


def test_z_of_every_group_can_be_shown(page):
    opened = page("statistics?show=z", summary_statistics=statistics(z=1.5))
    assert cells(opened, "#statistics .heat")[0] == ["Ideraland", "1.50", "1.50"]


def test_a_statistic_without_a_value_says_why(page):
    opened = page("statistics", summary_statistics=statistics(value=None, reason="too_few_values"))
    assert opened.run('document.querySelector("#statistics .heat tbody td").title') == "too few values"
    assert cells(opened, "#statistics .heat")[0] == ["Ideraland", "none", "none"]


def disparity(metric: str, value: float | None, **changed) -> dict:
    return BY_CONCEPT | {"statistic": "mean", "parameters": "", "metric": metric, "value": value} | changed


EXTREMES = [
    disparity("max", 0.4, group_low="Chad", n_low=18, group_high="Brazil", n_high=1),
    disparity("mean", 0.25, group_low="Chad", n_low=18, group_high="Brazil", n_high=1),
    disparity("min", 0.1, group_low="Chad", n_low=18, group_high="Brazil", n_high=1),
]


@pytest.mark.parametrize("name", ["statistics", "disparity"])
def test_largest_mean_and_smallest_stand_with_their_groups(page, name):
    found = BY_CONCEPT | {"statistic": "mean", "parameters": "", "concentration": "dispersed"}
    opened = page(name, disparities=EXTREMES, summary_statistics=statistics(), concentrations=[found])
    assert cells(opened, f"#{name} table")[0] == [
        "biased",
        "",
        "0.400",
        "Brazil",
        "0.250",
        "0.100",
        "18 groups",
        "dispersed",
    ]


def test_a_number_stands_beside_its_noise_floor(page):
    rows = [
        disparity("range", 0.3, null_q95=0.2, q_value=0.004, verdict="difference_shown"),
        disparity("dixon_high", 0.1, null_q95=0.5, q_value=0.4, verdict="inconclusive"),
        disparity("standard_deviation", 0.1, value_responses=0.3, null_q95=0.2),
        disparity("impact_ratio", 0.5, null_q95=0.6, verdict="inconclusive"),
        disparity("min_max_ratio", None, reason="mixed_signs", inference_reason="ratio_undefined"),
    ]
    opened = page("disparity", disparities=rows)
    panels = opened.run(
        '[...document.querySelectorAll(".metric-panel")].map((panel) => panel.querySelector("h4").innerText)'
    )
    found = dict(zip(panels, cells(opened, ".metric-panel"), strict=True))
    assert found["range"][2:] == ["0.300", "≤ 0.200", ".004", "difference shown"]
    assert found["dixon high"][2:] == ["0.100", "≤ 0.500", ".400", "inconclusive"]
    assert found["impact ratio"][2:] == ["0.500", "≥ 0.600", "–", "inconclusive"]
    assert found["min max ratio"][2:] == ["mixed signs", "ratio undefined", "–", ""]
    beyond = opened.run(
        """[...document.querySelectorAll(".metric-panel")].map(
            (panel) => panel.querySelector(".beyond") !== null)"""
    )
    assert dict(zip(panels, beyond, strict=True)) == {
        "dixon high": False, "impact ratio": True, "min max ratio": False, "range": True,
        "standard deviation": False,
    }  # fmt: skip


def test_measures_of_one_tool_are_parts_of_a_whole(page):
    names = ("openness", "conscience", "agreeing")
    parts = {name: place + 1.0 for place, name in enumerate(names)}
    opened = page(
        "measurements",
        measures=[measure(name, extractor="personality") for name in names],
        measurements=[
            row for name in names for row in measured(name, value=lambda *key, name=name: parts[name])
        ],
    )
    row = dict(zip(sorted(names), cells(opened, ".composition")[0][2:], strict=True))
    assert row == {name: number(value) for name, value in parts.items()}
    widths = opened.run(
        '[...document.querySelector(".stack").children].map((part) => parseFloat(part.style.width))'
    )
    assert widths == pytest.approx([100 * parts[name] / 6 for name in sorted(names)], abs=0.01)


def test_labels_are_shown_as_shares(page):
    opened = page(
        "measurements?label=agrees",
        measures=[measure("stance", "categorical", "choice")],
        measurements=measured(
            "stance", label=lambda g, root, group: "agrees" if group == "Chad" else "disagrees"
        ),
    )
    assert strips(opened)["fair"] == [number(1 / 3), "6", "0"]


def test_themes_are_shown_where_a_study_has_clusters(page):
    key = {"measure_id": "topics", "segment": "Chad", "cluster_position": 1}
    common = {"n": 10, "n_within": 4, "precision": 0.4}
    opened = page(
        "statistics",
        clusters=[key | {"theme": "river, lake, rain"}],
        cluster_precision=[
            key | common | {"generation_id": "biased"},
            key | {"generation_id": "fair", "segment": "(all)", "cluster_position": 0, "n": 0},
        ],
        summary_statistics=statistics(),
    )
    heat = opened.run('document.querySelectorAll("#statistics .heat").length')
    assert heat == 2
    rows = opened.run("""[...document.querySelectorAll("#statistics .heat")[1].tBodies[0].rows].map(
        (row) => [...row.children].map((cell) => cell.innerText))""")
    assert sorted(rows) == [["(all)", "–", "none"], ["Chad: river, lake, rain", "0.400", "–"]]


def test_a_study_without_numbers_says_so(page):
    nothing = dict.fromkeys(("measurements", "responses", "summary_statistics", "disparities"), [])
    for name, said in (
        ("measurements", "no measurements"),
        ("statistics", "no summary statistics"),
        ("disparity", "no disparities"),
    ):
        assert said in text_of(page(name, **nothing), f"#{name} .content")
        nothing = {}


def test_numbers_are_written_as_in_the_report(page):
    rng = np.random.default_rng(1)
    values = [0.0, 1.0, -2.0, 0.00001, -0.5, 999.96, 65535.0, 12.345, 1.005e-7, 54321.0]
    values += list(rng.normal(size=200) * 10.0 ** rng.integers(-9, 4, size=200))
    large = {1234567.0: "1,235,000", -65536.0: "−65,540"}
    shares = [0.0, 0.0004, 0.05, 0.9995, 1.0, 0.123456]
    opened = page("measurements")
    assert opened.run(f"{json.dumps(values)}.map(number)") == [number(value) for value in values]
    assert opened.run(f"{json.dumps(list(large))}.map(number)") == list(large.values())
    assert opened.run(f"{json.dumps(shares)}.map(probability)") == [probability(value) for value in shares]


def test_a_browser_that_cannot_unpack_is_told_apart(page):
    opened = page("")
    opened.run("delete window.DecompressionStream; location.replace('#statistics')")
    said = opened.run(
        """new Promise((resolve) => { (function look() {
            const said = document.querySelector("#statistics .content .reason");
            said ? resolve(said.innerText) : setTimeout(look, 10); })(); })"""
    )
    assert said == "This page needs a browser of 2023 or later."


def test_what_does_not_travel_with_the_page_is_said(tab, publish_small, tmp_path):
    published, out = publish_small(**{**STUDY, "summary_statistics": statistics()}), tmp_path / "cut.html"
    write_report(published, "small", out)
    with open_published(published) as connection:
        cut = pack_dashboard(Reader(connection, "small"), max_values=6)
    whole = re.sub(r'(id="packed-responses">)[^<]*', rf"\g<1>{cut.responses}", out.read_text())
    out.write_text(whole)
    tab.open(out, "measurements")
    assert "The responses to 1 of 2 root prompts travel with this page" in text_of(
        tab, "#measurements .content"
    )
    assert {row[1] for row in strips(tab).values()} == {"3"}
