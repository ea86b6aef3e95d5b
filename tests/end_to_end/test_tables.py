"""The tables of the documents hold the numbers of the marts, on studies that other tests run too."""

import csv

import pytest


def read(folder, name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def tables(plumbline, tmp_path_factory):
    def write(run, document):
        folder = tmp_path_factory.mktemp(document)
        done = plumbline(run.home, "tables", run.study_id, "--of", document, "--out", str(folder))
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == str(folder / "tables.html")
        return folder

    return write


def number(text):
    return float(text) if text else None


def test_table_1_of_saged_is_what_disparities_say(demo, tables):
    folder = tables(demo, "saged")
    metrics = {"Range of Mean": "range", "Max Z-score of Mean": "max_z", "Impact Ratio": "impact_ratio"}
    found = {
        (row["measure"], row["system"], row["calibration"], row["parameters"], metrics[row["disparity_metric"]]): (
            *(number(row[name]) for name in ("value", "noise_floor", "ci_low", "ci_high", "q")),
            row["verdict"] or None,
        )
        for row in read(folder, "07_table_1")
    }
    expected = {
        tuple(key): tuple(numbers)
        for *key, numbers in (
            (*row[:5], row[5:])
            for row in demo.rows(
                """
                select measure_id, system_id, calibration, parameters, metric, value, null_q95, ci_low, ci_high,
                    q_value, verdict
                from disparities
                where slice_id = 'all' and (metric = 'impact_ratio'
                    or (metric in ('range', 'max_z') and statistic = 'mean'))
                """
            )
        )
    }
    assert found == expected
    significant = {row["system"] for row in read(folder, "04_impact_ratio") if row["verdict"] == "beyond_margin"}
    under = {row["system"] for row in read(folder, "04_impact_ratio") if row["is_under_four_fifths"] == "true"}
    # the raw rule calls the model that treats all alike too
    assert significant == {"biased"} and {"biased", "fair"} <= under


def test_every_summary_statistic_of_the_demo_stands_in_one_row(demo, tables):
    rows = read(tables(demo, "saged"), "01_summary_statistics")
    assert len(rows) == demo.value("select count(*) from summary_statistics")
    shown = {
        (row["system"], row["measure"], row["concept"])
        for row in rows
        if row["verdict"] in ("beyond_margin", "different") and row["statistic"] == "mean"
    }
    assert {("biased", "sentiment", "Russia"), ("biased", "refusal", "Saudi Arabia")} <= shown
    assert not any(system == "fair" for system, *_ in shown)


def test_a_study_that_is_not_there_and_a_document_that_is_not_known_are_told(demo, plumbline):
    done = plumbline(demo.home, "tables", "absent", "--of", "saged")
    assert done.returncode == 1 and "'absent'" in done.stderr and "'g20_demo'" in done.stderr
    done = plumbline(demo.home, "tables", "g20_demo", "--of", "saga")
    assert done.returncode == 2 and "multi_factor" in done.stderr


def test_tables_of_fair_sea_are_those_of_the_real_answers(fair_sea, tables):
    folder = tables(fair_sea, "fair_sea")
    evidence = read(folder, "12_evidence_d_series") + read(folder, "13_evidence_i_series")
    # categories whose labels need a model that is not here have no numbers, and no rows
    assert {"D2", "D3", "I1", "I2", "I3"} <= {row["prompt_category"] for row in evidence}
    found = {
        (row["prompt_category"], row["outcome"], row["attribute"], row["model"]): (number(row["value"]), row["verdict"])
        for row in evidence
        if row["metric"] == "cramers_v"
    }
    expected = {
        tuple(key): (value, verdict)
        for *key, value, verdict in fair_sea.rows(
            """
            select slice_id, measure_id, grouping_id, system_id, value, verdict from disparities
            where study_id = 'fair_sea_responses' and metric = 'cramers_v' and slice_id <> 'all'
            """
        )
    }
    assert found == expected
    raised = [row for row in read(folder, "14_red_flags") if row["status"] == "raised"]
    assert len(raised) == fair_sea.value(
        "select count(*) from red_flags where study_id = 'fair_sea_responses' and status = 'raised'"
    )
