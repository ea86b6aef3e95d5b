import csv
import json
import re
from pathlib import Path
from typing import get_args

import duckdb
import pytest

from python_assets.errors import WarehouseError
from python_assets.report.tables.queries import Document, queries_of
from python_assets.report.tables.write_tables import write_tables
from python_assets.report.text import SIMULATED
from python_assets.warehouse.build import Home
from tests.python_assets.report.conftest import CONFIG, SENTIMENT, Page, small_study

ROOT = Path(__file__).parents[4]
DOCUMENTS = get_args(Document)
ATTACK = "<script>alert('x')</script> & {{ 7 * 7 }}"
BY_CONCEPT = SENTIMENT | {"grouping_id": "concept"}
QUOTED = re.compile(r"^```sql\n(-- .*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def written(publish_small, tmp_path):
    def write(document, study_id="small", **replaced):
        publish_small(study_id, **replaced)
        return write_tables(Home(tmp_path), study_id, document, None)

    return write


def rows(done, name):
    with (done.folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def disparity(metric, value, **columns):
    return BY_CONCEPT | {"statistic": "mean", "parameters": "", "metric": metric, "value": value} | columns


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_table_has_a_file_and_is_listed_with_why_it_has_no_rows(written, document):
    done = written(document)
    listed = {row["file"]: row for row in rows(done, "tables")}
    queries = queries_of(document)
    assert list(listed) == [f"{query.name}.csv" for query in queries]
    for query in queries:
        row = listed[f"{query.name}.csv"]
        assert int(row["n_rows"]) == len(rows(done, query.name))
        assert row["needs"] == query.needs and query.needs
        assert (row["run_id"], row["is_simulated"]) == ("run-1", "true")
    empty = [table for table in done.tables if not table.n_rows]
    page = Page(done.page.read_text(encoding="utf-8"))
    assert empty
    for table in empty:
        assert table.told() == f"no rows: it needs {table.query.needs}"
        assert f"it needs {table.query.needs}" in page.sections["list"]
        assert table.query.name not in page.sections
    assert done.folder.parts[-3:] == ("tables", "small", document)


def test_table_1_has_the_raw_number_with_its_noise_floor_interval_q_and_verdict(written):
    systems = [
        {
            "system_id": name,
            "model": "lexicon",
            "system_prompt_name": role,
            "is_baseline": False,
            "is_engine": False,
            **one,
        }
        for name, role, one in (
            ("biased", "none", {"is_simulated": False}),
            ("acting", "trump", {"is_simulated": False}),
            ("baseline", "", {"is_simulated": False, "is_baseline": True}),
        )
    ]
    ratio = {"null_q95": 0.7, "ci_low": 0.6, "ci_high": 1.0, "q_value": 0.4, "verdict": "inconclusive"}
    done = written(
        "saged",
        systems=systems,
        disparities=[
            disparity("range", 0.25, null_q95=0.2, q_value=0.01, verdict="different"),
            disparity("impact_ratio", 0.75, statistic="selection_rate", **ratio),
            disparity("impact_ratio", 0.5, statistic="selection_rate", system_id="acting"),
            disparity("max_z", 3.1, system_id="baseline"),
            disparity("max_z", 2.5, statistic="variance"),
        ],
    )
    found = [
        (row["disparity_metric"], row["model"], row["value"], row["is_under_four_fifths"], row["noise_floor"], row["q"])
        for row in rows(done, "07_table_1")
    ]
    assert found == [
        ("Range of Mean", "lexicon", "0.25", "", "0.2", "0.01"),
        ("Max Z-score of Mean", "Baseline", "3.1", "", "", ""),
        ("Impact Ratio", "lexicon", "0.75", "true", "0.7", "0.4"),
    ]
    (first, *_, last) = rows(done, "07_table_1")
    assert (first["verdict"], last["verdict"], last["ci_low"]) == ("different", "inconclusive", "0.6")
    of_roles = {(row["system_prompt_name"], row["impact_ratio"]) for row in rows(done, "11_figure_6c_impact_ratio")}
    assert of_roles == {("none", "0.75"), ("trump", "0.5")}
    assert SIMULATED not in done.page.read_text(encoding="utf-8")


def test_a_group_has_a_row_for_each_reference_and_keeps_it_without_a_difference(written):
    of_group = {"statistic": "mean", "parameters": "", "group_id": "Brazil"}
    summaries = [
        BY_CONCEPT | of_group | {"value": 0.3, "n_responses": 2},
        BY_CONCEPT | of_group | {"statistic": "variance", "value": 0.01, "n_responses": 2},
        BY_CONCEPT | of_group | {"statistic": "selection_rate", "value": 0.5, "n_responses": 2},
    ]
    of_contrast = BY_CONCEPT | of_group | {"category": "", "verdict": "inconclusive", "value": 0.1}
    contrasts = [
        of_contrast | {"contrast": "mean_difference", "reference": "rest"},
        of_contrast | {"contrast": "mean_difference", "reference": "Chad"},
        of_contrast | {"contrast": "dbi", "reference": "grand_mean"},
        of_contrast | {"contrast": "log_disparity", "reference": "rest"},
        # of the selection rate only a size that the table has no column for
        of_contrast | {"contrast": "dbi", "reference": "rest", "statistic": "selection_rate"},
    ]
    done = written("saged", summary_statistics=summaries, contrasts=contrasts)
    found = [(row["statistic"], row["reference"], row["value"]) for row in rows(done, "01_summary_statistics")]
    assert sorted(found) == [
        ("mean", "Chad", "0.3"), ("mean", "rest", "0.3"), ("selection_rate", "", "0.5"), ("variance", "", "0.01")
    ]  # fmt: skip


def test_means_by_role_are_of_all_responses_beside_the_change_they_make(written):
    measures = [{"measure_id": "far", "kind": "continuous", "scorer": "baseline_distance", "model": "m"}]
    values = (0.2, 0.4, None)
    measured = [
        {"system_id": "biased", "prompt_id": f"p{n}", "replicate": 0, "measure_id": "far", "value": value}
        for n, value in enumerate(values)
    ]
    change = {
        "system_id": "biased", "reference_system_id": "other", "slice_id": "all", "calibration": "raw",
        "measure_id": "far", "grouping_id": "", "comparison": "mean_change", "value": 0.1, "q_value": 0.2,
        "verdict": "inconclusive",
    }  # fmt: skip
    done = written("saged", measures=measures, measurements=measured, system_comparisons=[change])
    (row,) = rows(done, "10_figure_6b_distance")
    assert float(row["mean"]) == pytest.approx(0.3) and row["n_responses"] == "2"
    assert (row["against"], row["change"], row["q"], row["verdict"]) == ("other", "0.1", "0.2", "inconclusive")


def test_table_1_of_factors_names_few_variations_and_counts_many(written):
    factors = [
        {"factor": "gender", "type": "domain", "n_levels": 2, "reference_level": "none", "origin": "declared"},
        {"factor": "stigma", "type": "domain", "n_levels": 7, "origin": "declared"},
        {"factor": "model", "type": "model", "n_levels": 2, "origin": "declared"},
    ]
    levels = [
        {"prompt_id": "p", "factor": factor, "level": level}
        for factor, names in {"gender": ["male", "none"], "stigma": "abcdefg"}.items()
        for level in names
    ]
    coverage = [{"factors": "gender", "n_factors": 1, "gini_index": 0.529, "coverage_percentage": 1.0}]
    models = [{"system_id": name, "factor": "model", "level": name} for name in ("ul2", "xxl")]
    done = written("multi_factor", factors=factors, prompt_factors=levels, coverage=coverage, system_factors=models)
    found = [
        (row["type"], row["name"], row["variations"], row["reference"], row["GI"]) for row in rows(done, "01_table_1")
    ]
    assert found == [
        ("domain", "gender", "male, none", "none", "0.529"),
        ("domain", "stigma", "7 levels", "", ""),
        ("model", "model", "ul2, xxl", "", ""),
    ]


def test_figure_1_is_drawn_beside_its_data(written):
    wrong = {key: value for key, value in SENTIMENT.items() if key != "calibration"} | {"measure_id": "wrong"}
    subgroup = wrong | {"n_responses": 10, "n_root_prompts": 5}
    subgroups = [
        subgroup | {"grouping_id": "concept", "group_id": name, "n_deviating": n, "deviation_rate": n / 10, "ecdf": 0.5}
        for n, name in enumerate(("Ideraland", "Chad", "Brazil"))
    ]
    metric = wrong | {"grouping_id": "concept", "statistic": "deviation_rate"}
    metrics = [
        metric | {"metric": name, "value": 0.1, "ideal": 0, "n_subgroups": 3}
        for name in ("deviation_metric", "share_below_0_2")
    ]
    tested = BY_CONCEPT | {
        "measure_id": "wrong", "contrast": "log_disparity", "group_id": "Chad", "reference": "rest", "category": "",
        "value": 0.4, "q_value": 0.3, "verdict": "inconclusive",
    }  # fmt: skip
    done = written("multi_factor", subgroups=subgroups, subgroup_metrics=metrics, contrasts=[tested])
    assert 'class="ecdf"' in done.page.read_text(encoding="utf-8")
    found = {row["subgroup"]: row for row in rows(done, "04_figure_1a_log_disparity")}
    assert len(found) == 3
    assert (found["Chad"]["LD_on_the_same_prompts"], found["Chad"]["verdict"]) == ("0.4", "inconclusive")
    assert found["Brazil"]["verdict"] == ""
    (curve,) = rows(done, "06_deviation_metric")
    assert (curve["DM"], curve["share_of_rates_under_0_2"], curve["n_subgroups"]) == ("0.1", "0.1", "3")


def test_evidence_is_of_the_slices_of_its_series_with_band_and_verdict(written):
    of_d1 = {"slice_id": "d1", "statistic": "share", "measure_id": "leadership"}
    disparities = [
        disparity("fdi", 0.3, band="red", verdict="inconclusive", null_q95=0.31, **of_d1),
        disparity("fdi", 0.1, band="green", verdict="inconclusive"),
        disparity("jsd_truth_weighted", 0.2, band="yellow", **of_d1 | {"slice_id": "I2"}),
    ]
    hypothesis = BY_CONCEPT | of_d1 | {"finding_rank": 1, "parameters": "", "q_value": 0.7, "verdict": "inconclusive"}
    hypothesis |= {"family_id": "primary", "is_tool_bias": False, "is_repeated": False}
    done = written("fair_sea", disparities=disparities, contrasts=[], findings=[hypothesis])
    (row,) = rows(done, "12_evidence_d_series")
    assert (row["prompt_category"], row["metric"], row["band"], row["verdict"]) == ("D1", "fdi", "red", "inconclusive")
    assert (row["q_of_hypothesis"], row["noise_floor"]) == ("0.7", "0.31")
    assert [row["prompt_category"] for row in rows(done, "13_evidence_i_series")] == ["I2"]
    counts = [(row["metric"], row["band"], row["n_numbers"], row["n_verdict_inconclusive"], row["n_without_verdict"])
              for row in rows(done, "11_key_thresholds")]  # fmt: skip
    assert counts == [
        ("fdi", "green", "1", "1", "0"), ("fdi", "red", "1", "1", "0"), ("jsd_truth_weighted", "yellow", "1", "0", "1")
    ]  # fmt: skip


def test_thresholds_are_those_of_the_seed():
    with (ROOT / "dbt_models" / "seeds" / "bands.csv").open(encoding="utf-8") as file:
        bands = {
            row["metric"]: (float(row["edge_green"]), float(row["edge_red"]))
            for row in csv.DictReader(file)
            if row["is_reported"] == "true" and row["source"].startswith("FAIR-SEA") and "chi" not in row["metric"]
        }
    (sql,) = [query.sql for query in queries_of("fair_sea") if query.name == "11_key_thresholds"]
    edges = re.findall(r"\('(\w+)', ([\d.]+), ([\d.]+)\)", sql)
    written = {name: (float(fair), float(bias)) for name, fair, bias in edges}
    assert written == bands


def test_texts_are_escaped_on_the_page_and_formulas_in_the_files(written):
    groups = [ATTACK, "=HYPERLINK(1)"]
    done = written("fair_sea", coverage_cells=[{"factors": "concept", "group_id": group} for group in groups])
    page = done.page.read_text(encoding="utf-8")
    assert "<script" not in page
    assert ATTACK in Page(page).text
    assert {row["category"] for row in rows(done, "01_demographic_coverage")} == {ATTACK, "'=HYPERLINK(1)"}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_page_loads_nothing_and_says_that_it_is_simulated(written, document):
    done = written(document)
    page = Page(done.page.read_text(encoding="utf-8"))
    names = ("src", "href", "srcset", "data")
    loading = [a[name] for tag, a in page.tags for name in names if name in a and tag != "a"]
    assert loading == []
    policies = [a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert not {"script", "iframe", "object", "embed", "link"} & {tag for tag, _ in page.tags}
    assert SIMULATED in page.text
    targets = {(a.get("href") or "")[1:] for tag, a in page.tags if tag == "a"}
    assert targets <= set(page.sections)


def test_what_is_left_out_of_the_page_is_counted(written):
    cells = [{"factors": "concept", "group_id": f"g{n:03}"} for n in range(201)]
    done = written("fair_sea", coverage_cells=cells)
    assert "The first 200 of 201 rows" in Page(done.page.read_text(encoding="utf-8")).text
    assert len(rows(done, "01_demographic_coverage")) == 201


def test_texts_of_a_study_that_hides_them_stand_nowhere(written):
    study = small_study(is_simulated=True)
    hidden = study["studies"][0] | {"config_json": json.dumps(CONFIG | {"report": {"hide_texts": True}})}
    systems = [row | {"system_prompt": "a secret role", "is_engine": False} for row in study["systems"]]
    done = written("saged", studies=[hidden], systems=systems)
    (row,) = rows(done, "05_experiment_design")
    assert row["system_prompt"] == "(hidden)"
    assert not any("a secret role" in file.read_text(encoding="utf-8") for file in done.folder.iterdir())


def test_another_call_replaces_the_files_and_reads_no_other_study(written, publish_small):
    cells = [{"factors": "concept", "group_id": "first"}]
    written("fair_sea", "other", coverage_cells=[{"factors": "concept", "group_id": "of the other"}])
    done = written("fair_sea", coverage_cells=cells)
    assert [row["category"] for row in rows(done, "01_demographic_coverage")] == ["first"]
    done = written("fair_sea", coverage_cells=[])
    assert rows(done, "01_demographic_coverage") == []


def test_a_study_that_is_not_published_is_an_error_and_makes_no_folder(publish_small, tmp_path, refused):
    publish_small()
    with refused(WarehouseError, "studies"):
        write_tables(Home(tmp_path), "absent", "saged", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_nothing_published_is_an_error(tmp_path, refused):
    with refused(WarehouseError, "the file"):
        write_tables(Home(tmp_path), "absent", "saged", None)


def test_a_folder_that_cannot_be_written_is_an_error(publish_small, tmp_path):
    publish_small()
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    with pytest.raises(WarehouseError, match="out"):
        write_tables(Home(tmp_path), "small", "saged", tmp_path / "out")


def test_a_study_of_a_version_that_knew_less_is_to_be_run_again(publish_small, tmp_path):
    with duckdb.connect(str(publish_small())) as connection:
        connection.execute("alter table disparities drop column value_corrected")
    with pytest.raises(WarehouseError, match="plumbline run small"):
        write_tables(Home(tmp_path), "small", "saged", None)


def test_the_page_of_saged_quotes_the_queries_as_they_are():
    text = (ROOT / "docs" / "saged.md").read_text(encoding="utf-8")
    queries = {query.title: query.sql.replace("$study", "'g20_countries'") for query in queries_of("saged")}
    quoted = [block.split("\n", 1) for block in QUOTED.findall(text)]
    assert len(quoted) == 4
    for title, sql in quoted:
        assert sql == queries[title.removeprefix("-- ")], title


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_query_is_told_of_in_the_page_of_its_document(document):
    text = (ROOT / "docs" / f"{document}.md").read_text(encoding="utf-8")
    assert f"--of {document}" in text
    assert all("$study" in query.sql for query in queries_of(document))
