"""The queries of docs/tables.md answer their questions, on the demo study with its declared effects."""

from itertools import permutations

import pytest

from docs.make_tables import auditor_queries, published_tables
from docs.relations import join_of, table_of
from python_assets.transform.compile import compiled_project
from tests.end_to_end.conftest import open_warehouse

QUERIES = {query.name: query for query in auditor_queries()}
# no check of the demo fails and no record is rejected; it is run once, simulated, and has no labels, regressions,
# clusters, imports, real shares, failed calls or tests of FAIR-SEA
EMPTY = {
    "13_failed_checks",
    "27_regressions",
    "31_documents_tests",
    "32_evidence_of_a_flag",
    "33_against_real_shares",
    "38_impossible_combinations",
    "40_factors_told_apart",
    "41_factors_held",
    "46_pairs_that_differ_otherwise",
    "47_who_judged_pairs",
    "48_planted_pairs",
    "51_people_and_reading",
    "52_labels_by_people",
    "53_clusters",
    "54_numbers_of_a_log",
    "56_records_rejected",
    "61_changed_since_last_run",
    "62_what_the_gate_tested",
    "64_outcomes_read_otherwise",
    "66_failed_calls",
    "67_negative_controls",
    "69_what_irrelevant_edits_do",
    "71_what_could_not_be_scored",
}


@pytest.mark.parametrize("name", QUERIES)
def test_every_query_answers_its_hypothesis(demo, name):
    assert QUERIES[name].question.endswith("?")
    assert bool(demo.rows(QUERIES[name].sql)) == (name not in EMPTY)


def test_those_who_are_worse_off_are_those_whom_the_study_file_declares(demo):
    found = demo.rows(QUERIES["01_who_is_worse_off"].sql)
    assert {(system, measure, group) for system, measure, group, *_ in found} == {
        ("biased", "sentiment", "Russia"),
        ("biased", "sentiment", "China"),
        ("biased", "refusal", "Saudi Arabia"),
    }


def test_refusals_are_worst_where_the_study_file_declares_them(demo):
    first = demo.rows(QUERIES["09_refusals"].sql)[0]
    assert first[:2] == ("biased", "Saudi Arabia")
    assert first[-1] == "different"


def test_a_join_of_one_row_multiplies_no_rows(demo):
    tables = [table_of(node) for node in published_tables(compiled_project().manifest)]
    several = []
    with open_warehouse(demo.home) as connection:
        n_rows = {table.name: connection.table(table.name).count("*").fetchone()[0] for table in tables}
        for one, other in permutations(tables, 2):
            if (join := join_of(one, other)) and join.is_to_one:
                joined = f"from {one.name} as a inner join {other.name} as b {join.sql}"
                if connection.sql(joined).count("*").fetchone()[0] > n_rows[one.name]:
                    several.append((one.name, other.name))
    assert several == []


def test_what_is_published_has_a_methods_paragraph(demo):
    ((told,),) = demo.rows("select methods from studies where study_id = 'g20_demo'")
    assert "(biased, fair) answered 840 prompts" in told and "from 40 root prompts" in told
    assert "primary, 6 tested and 2 significant" in told
    assert told in (demo.home / "report" / "g20_demo.html").read_text(encoding="utf-8").replace("&#39;", "'")
