import pytest

from expectations import RULES, SCRAPED, TABLES
from expectations.runner import run_suites

HARD = "'no ''such'' :level {x}'"
QUARANTINED = (
    "insert into raw.quarantine select 's', '{}', 'k''{{x}}' || i, 'r', 'd', null, now()::timestamp "
    "from range(3) as t(i)"
)

# by expectation: what makes it, and it alone or with those it must drag along, fail
BAD = {
    "documents": {
        "expect_rows": "delete from raw.documents",
        "expect_filled": "update raw.documents set document_text = ' ' where document_id = 'd0'",
        "expect_unique_keys": "insert into raw.documents select * from raw.documents",
        "expect_sha256": "update raw.documents set sha256 = 'abc'",
        "expect_distinct_documents": "update raw.documents set sha256 = repeat('a', 64)",
        "expect_revision_and_licence": "update raw.documents set source_type = 'wikipedia', licence = 'CC0'",
    },
    "sentences": {
        "expect_rows": "delete from raw.sentences",
        "expect_filled": "update raw.sentences set sentence_text = '' where sentence_id = 'd0:2'",
        "expect_unique_keys": "update raw.sentences set sentence_id = 'same'",
        "expect_a_document": "update raw.sentences set document_id = 'd9' where sentence_id = 'd0:2'",
        "expect_level_and_keyword": f"update raw.sentences set level = {HARD} where level = 'Italy'",
        "expect_a_keyword": "delete from raw.keywords where keyword = 'Italy'",
        "expect_keyword_in_sentence": f"update raw.sentences set keyword = {HARD} where level = 'Italy'",
        "expect_distinct_sentences": (
            "insert into raw.sentences select * replace ('x' as sentence_id) from raw.sentences "
            "where sentence_id = 'd0:1:Italy'"
        ),
        "expect_documents_in_use": "update raw.sentences set dropped_reason = 'x' where document_id = 'd1'",
        "expect_few_removed": QUARANTINED.format("scrape"),
    },
    "prompts": {
        "expect_rows": "delete from raw.prompts",
        "expect_filled": "update raw.prompts set unit_id = '' where prompt_id = 'r0'",
        "expect_unique_keys": "insert into raw.prompts select * from raw.prompts where prompt_id = 'r0'",
        "expect_prompt_text": "update raw.prompts set prompt_text = chr(10) where prompt_id = 'r0'",
        "expect_task": "update raw.prompts set task = 'chat'",
        "expect_one_root": "update raw.prompts set is_root = true where prompt_id = 'r0:b'",
        "expect_branch_like_root": "update raw.prompts set keyword = 'Italian' where prompt_id = 'r0:b'",
        "expect_baseline_with_kind": "update raw.prompts set baseline_kind = null where prompt_id = 'r0'",
        "expect_a_document": "update raw.prompts set document_id = 'd9'",
        "expect_distinct_prompts": "update raw.prompts set prompt_text = 'a' where prompt_id in ('r0', 'r1')",
        "expect_fitting_articles": "update raw.prompts set prompt_text = 'A Italy' where prompt_id = 'r0:b'",
        "expect_few_removed": QUARANTINED.format("assemble"),
    },
    "prompt_factors": {
        "expect_rows": "delete from raw.prompt_factors",
        "expect_filled": "update raw.prompt_factors set factor = ' ' where factor = 'keyword'",
        "expect_unique_keys": "insert into raw.prompt_factors select * from raw.prompt_factors",
        "expect_a_prompt": "delete from raw.prompts where prompt_id = 'r0'",
        "expect_declared_levels": f"update raw.prompt_factors set level = {HARD} where prompt_id = 'r0'",
        "expect_levels_that_join": (
            "update raw.prompt_factors set level = 'a x b' where prompt_id = 'r0' and factor = 'tone'"
        ),
        "expect_prompts_of_every_level": "update raw.prompt_factors set level = 'Italy'",
        "expect_levels_of_every_prompt": "delete from raw.prompt_factors where factor = 'tone'",
    },
    "responses": {
        "expect_rows": "delete from raw.responses",
        "expect_filled": "update raw.responses set response_id = ''",
        "expect_unique_keys": "insert into raw.responses select * from raw.responses where prompt_id = 'r0'",
        "expect_replicate": "update raw.responses set replicate = -1 where prompt_id = 'r0'",
        "expect_status": "update raw.responses set status = 'fine' where prompt_id = 'r0'",
        "expect_text_as_status_says": "update raw.responses set response_text = null where status = 'ok'",
        "expect_error_as_status_says": "update raw.responses set error = 'time-out' where status = 'ok'",
        "expect_a_generation": "update raw.responses set generation_id = 'baseline' where prompt_id = 'r0'",
        "expect_a_prompt": "delete from raw.prompts where prompt_id = 'r0'",
        "expect_responses_of_every_generation": (
            "insert into raw.generations select * replace ('it''s :new' as generation_id) "
            "from raw.generations where generation_id = 'fair'"
        ),
        "expect_responses_to_every_prompt": "delete from raw.responses where prompt_id = 'r0'",
        "expect_possible_usage": "update raw.responses set latency_seconds = 'inf'",
        "expect_few_errors": "update raw.responses set status = 'error', error = 'no' where prompt_id = 'r0'",
        "expect_few_removed": QUARANTINED.format("generate"),
    },
    "measurements": {
        "expect_rows": "delete from raw.measurements",
        "expect_filled": "update raw.measurements set extractor_version = ''",
        "expect_unique_keys": "insert into raw.measurements select * from raw.measurements",
        "expect_a_measure": "delete from raw.measures where measure_id = 'refusal'",
        "expect_a_response": "delete from raw.responses where prompt_id = 'r0'",
        "expect_value_or_reason": "update raw.measurements set reason = 'no_words' where prompt_id = 'r0'",
        "expect_values_on_scale": "update raw.measurements set value = 1.01 where measure_id = 'sentiment'",
        "expect_binary_values": "update raw.measurements set value = 0.5 where measure_id = 'refusal'",
        "expect_measurements_of_every_response": "delete from raw.measurements where measure_id = 'label'",
        "expect_few_without_score": (
            "update raw.measurements set value = null, reason = 'other_language' "
            "where measure_id = 'sentiment'"
        ),
        "expect_responses_in_every_cell": (
            "update raw.measurements set value = null, reason = 'no_words' "
            "where measure_id = 'sentiment' and prompt_id in ('r0', 'r1', 'r2')"
        ),
        "expect_few_removed": "insert into raw.quarantine values "
        "('s', 'extract', 'fair/r0/''{x}/0/label', 'not_a_number', 'd', null, now()::timestamp)",
    },
}
CASES = [(table, name, bad) for table, cases in BAD.items() for name, bad in cases.items()]


def _failed(connection, study, table):
    return {
        result.expectation
        for result in run_suites(connection, study, [table], run_id="r")
        if not result.success
    }


def test_every_expectation_has_data_that_it_fails_on():
    assert {(table, rule.name) for table in TABLES for rule in RULES[table]} == {case[:2] for case in CASES}


def test_names_and_columns_identify_an_expectation():
    for table in TABLES:
        assert len({(rule.name, rule.columns) for rule in RULES[table]}) == len(RULES[table])


def test_good_data_satisfies_every_expectation(connection, study):
    results = run_suites(connection, study, TABLES, run_id="r")
    assert [result for result in results if not result.success] == []
    assert len(results) == sum(map(len, RULES.values()))
    assert min(result.n_evaluated for result in results) > 0


@pytest.mark.parametrize(("table", "name", "bad"), CASES, ids=[f"{table}-{name}" for table, name, _ in CASES])
def test_an_expectation_fails_on_its_bad_data(connection, study, table, name, bad):
    connection.execute(bad)
    assert name in _failed(connection, study, table)


@pytest.mark.parametrize(
    ("table", "name", "bad"),
    [
        (
            "prompts",
            "expect_baseline_with_kind",
            "update raw.prompts set baseline_text = '  ' where prompt_id = 'r0'",
        ),
        ("prompts", "expect_prompt_text", "update raw.prompts set prompt_text = null where prompt_id = 'r0'"),
        (
            "prompt_factors",
            "expect_levels_that_join",
            "update raw.prompt_factors set level = ' ' where factor = 'tone'",
        ),
        ("prompts", "expect_one_root", "update raw.prompts set is_root = false where prompt_id = 'r0'"),
        ("responses", "expect_text_as_status_says", "update raw.responses set status = 'empty'"),
        ("responses", "expect_a_generation", "update raw.responses set generation_id = 'gone'"),
        (
            "responses",
            "expect_error_as_status_says",
            "update raw.responses set status = 'error', error = ' ' where prompt_id = 'r0'",
        ),
        ("responses", "expect_possible_usage", "update raw.responses set n_tokens_out = -1"),
        (
            "measurements",
            "expect_a_response",
            "update raw.measurements set replicate = 1 where generation_id = 'baseline'",
        ),
        (
            "measurements",
            "expect_a_response",
            "update raw.measurements set prompt_id = 'p9' where prompt_id = 'r0'",
        ),
        ("measurements", "expect_value_or_reason", "update raw.measurements set value = null"),
        ("measurements", "expect_value_or_reason", "update raw.measurements set label = null"),
        ("measurements", "expect_value_or_reason", "update raw.measurements set value = 1, reason = null"),
        ("measurements", "expect_values_on_scale", "update raw.measurements set value = 'nan'"),
        ("measurements", "expect_values_on_scale", "update raw.measurements set baseline_value = '-inf'"),
        ("measurements", "expect_values_on_scale", "update raw.measurements set baseline_value = -1.01"),
        (
            "measurements",
            "expect_values_on_scale",
            "update raw.measures set scale_low = null, scale_high = null; "
            "update raw.measurements set value = 1e101",
        ),
        (
            "measurements",
            "expect_responses_in_every_cell",
            "delete from raw.measurements where prompt_id <> 'r0'",
        ),
    ],
)
def test_it_fails_on_the_other_ways_to_be_wrong(connection, study, table, name, bad):
    connection.execute(bad)
    assert name in _failed(connection, study, table)


def test_rows_of_another_study_are_not_looked_at(connection, study):
    for table in ("documents", "sentences", "prompts", "responses", "measurements"):
        connection.execute(f"insert into raw.{table} select * replace ('other' as study_id) from raw.{table}")
    connection.execute("update raw.measurements set value = 'nan' where study_id = 'other'")
    assert [r for r in run_suites(connection, study, TABLES, run_id="r") if not r.success] == []


def test_a_generation_full_of_errors_is_not_hidden_by_others(connection, study):
    for i in range(40):
        connection.execute(
            "insert into raw.generations select * replace (? as generation_id) from raw.generations "
            "where generation_id = 'fair'",
            [f"g{i}"],
        )
        connection.execute(
            "insert into raw.responses select * replace (? as generation_id) from raw.responses "
            "where generation_id = 'fair'",
            [f"g{i}"],
        )
    connection.execute(
        "update raw.responses set status = 'error', error = 'it''s down' where generation_id = 'g7'"
    )
    (found,) = [r for r in run_suites(connection, study, ["responses"], run_id="r") if not r.success]
    assert (found.expectation, found.n_evaluated, found.n_unexpected) == ("expect_few_errors", 41, 1)
    assert (
        found.examples_json
        == '[{"generation_id": "g7", "n_errors": 8, "n_responses": 8, "error": "it\'s down"}]'
    )


def test_removed_records_up_to_the_bound_pass_and_keep_their_share(connection, study):
    connection.execute(QUARANTINED.format("assemble"))
    quality = study.analysis.quality.model_copy(update={"max_removed_share": 3 / 11})
    patient = study.model_copy(update={"analysis": study.analysis.model_copy(update={"quality": quality})})
    results = run_suites(connection, patient, ["prompts"], run_id="r")
    (found,) = [result for result in results if result.expectation == "expect_few_removed"]
    assert found.success
    assert (found.n_evaluated, found.n_unexpected, found.unexpected_share) == (11, 3, 3 / 11)


def test_rows_an_import_removes_are_a_share_of_its_responses(connection, imported_study):
    connection.execute(QUARANTINED.format("assemble"))
    results = run_suites(connection, imported_study, ["prompts", "responses"], run_id="r")
    found = {r.table_name: r for r in results if r.expectation == "expect_few_removed"}
    assert (found["prompts"].success, found["prompts"].n_evaluated) == (True, 8)
    assert not found["responses"].success
    assert (found["responses"].n_evaluated, found["responses"].n_unexpected) == (11, 3)


def test_cells_are_counted_within_every_declared_grouping(connection, study):
    results = run_suites(connection, study, ["measurements"], run_id="r")
    (cells,) = [result for result in results if result.expectation == "expect_responses_in_every_cell"]
    # concept 2, tone 2, concept x tone 4 groups; three measures of all, stance of the warm prompts only
    assert cells.n_evaluated == 3 * 8 + (2 + 1 + 2)


def test_an_import_may_come_without_documents_and_texts(connection, imported_study):
    connection.execute("delete from raw.documents; delete from raw.sentences")
    connection.execute(
        "update raw.prompts set prompt_text = null; update raw.responses set response_text = null"
    )
    results = run_suites(connection, imported_study, TABLES, run_id="r")
    assert {result.table_name for result in results} == set(TABLES) - SCRAPED
    assert [result for result in results if not result.success] == []
