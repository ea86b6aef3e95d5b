"""The page of summary statistics."""

from tests.python_assets.report.scripts.conftest import cells, statistics


def test_the_heatmap_shows_the_published_statistics(page, snapshot):
    opened = page("statistics", summary_statistics=statistics())
    assert cells(opened, "#statistics .heat") == [
        ["Ideraland", "0.000", "−0.200"], ["Chad", "0.100", "−0.100"], ["Brazil", "0.200", "0.000"],
    ]  # fmt: skip
    title = opened.run('document.querySelector("#statistics .heat tbody td").title')
    assert title == snapshot


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


def test_themes_are_shown_where_a_study_has_clusters(page):
    key = {"measure_id": "topics", "segment": "Chad", "cluster_position": 1}
    common = {"n": 10, "n_within": 4, "precision": 0.4}
    opened = page(
        "statistics",
        clusters=[key | {"theme": "river, lake, rain"}],
        cluster_precision=[
            key | common | {"system_id": "biased"},
            key | {"system_id": "fair", "segment": "(all)", "cluster_position": 0, "n": 0},
        ],
        summary_statistics=statistics(),
    )
    heat = opened.run('document.querySelectorAll("#statistics .heat").length')
    assert heat == 2
    rows = opened.run("""[...document.querySelectorAll("#statistics .heat")[1].tBodies[0].rows].map(
        (row) => [...row.children].map((cell) => cell.innerText))""")
    assert sorted(rows) == [["(all)", "–", "none"], ["Chad: river, lake, rain", "0.400", "–"]]
