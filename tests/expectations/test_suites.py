import json
from importlib import import_module

import pytest

from expectations import CHECKED_TABLES, JUDGED, SCRAPED
from expectations.runner import run_suites

HARD = "'no ''such'' :level {x}'"
QUARANTINED = (
    "insert into raw.quarantine select 's', '{}', 'k''{{x}}' || i, '{}', 'd', null, now()::timestamp "
    "from range(3) as t(i)"
)

NULLS = "alter table raw.{0} alter column {1} drop not null; update raw.{0} set {1} = null"
BLANKS = "update raw.{0} set {1} = ' ' || chr(10)"
NOT_NULL, MATCHES, MATCHES_NOT = (
    "expect_column_values_to_not_be_null",
    "expect_column_values_to_match_regex",
    "expect_column_values_to_not_match_regex",
)
NULL = "expect_column_values_to_be_null"
NOTHING_OBSERVED = "outcome = null, response_text = null, is_refused = null, is_empty = null, is_truncated = null"
IN_SET, BETWEEN = "expect_column_values_to_be_in_set", "expect_column_values_to_be_between"
UNIQUE, COMPOUND = "expect_column_values_to_be_unique", "expect_compound_columns_to_be_unique"
ROWS = ("expect_table_row_count_to_be_between", "(table)")
REMOVED = ("expect_few_removed", "(table)")
FILLED = {
    "documents": ("document_id", "source_tag", "uri", "document_text"),
    "sentences": ("sentence_id", "document_id", "source_tag", "sentence_text"),
    "prompts": ("prompt_id", "root_prompt_id", "unit_id", "prompt_text"),
    "prompt_factors": ("prompt_id", "factor"),
    "responses": ("system_id", "prompt_id", "response_id"),
    "measurements": ("system_id", "prompt_id", "measure_id", "scorer_version"),
}

# by expectation and column: what makes it, and it alone or with those it must drag along, fail
BAD = {
    "documents": {
        ROWS: "delete from raw.documents",
        (UNIQUE, "document_id"): "insert into raw.documents select * from raw.documents",
        (MATCHES, "sha256"): "update raw.documents set sha256 = 'abc'",
        (COMPOUND, "source_tag, sha256"): "update raw.documents set sha256 = repeat('a', 64)",
        (NOT_NULL, "revision"): "update raw.documents set source_type = 'wikipedia', licence = 'CC0'",
        (NOT_NULL, "licence"): "update raw.documents set source_type = 'wikipedia', revision = '1'",
    },
    "sentences": {
        ROWS: "delete from raw.sentences",
        (UNIQUE, "sentence_id"): "update raw.sentences set sentence_id = 'same'",
        ("expect_a_document", "document_id"): (
            "update raw.sentences set document_id = 'd9' where sentence_id = 'd0:2'"
        ),
        (NOT_NULL, "level"): "update raw.sentences set level = null where level = 'Italy'",
        (NOT_NULL, "keyword"): "update raw.sentences set keyword = null where level = 'Italy'",
        (IN_SET, "level"): f"update raw.sentences set level = {HARD} where level = 'Italy'",
        ("expect_a_keyword", "level, keyword"): "delete from raw.keywords where keyword = 'Italy'",
        ("expect_keyword_in_sentence", "keyword, sentence_text"): (
            f"update raw.sentences set keyword = {HARD} where level = 'Italy'"
        ),
        (COMPOUND, "source_tag, level, sentence_text"): (
            "insert into raw.sentences select * replace ('x' as sentence_id) from raw.sentences "
            "where sentence_id = 'd0:1:Italy'"
        ),
        ("expect_documents_in_use", "document_id"): (
            "update raw.sentences set dropped_reason = 'x' where document_id = 'd1'"
        ),
        REMOVED: QUARANTINED.format("scrape", "r"),
    },
    "prompts": {
        ROWS: "delete from raw.prompts",
        (UNIQUE, "prompt_id"): "insert into raw.prompts select * from raw.prompts where prompt_id = 'r0'",
        (IN_SET, "task"): "update raw.prompts set task = 'chat'",
        ("expect_one_root", "root_prompt_id, is_root"): (
            "update raw.prompts set is_root = true where prompt_id = 'r0:b'"
        ),
        ("expect_branch_like_root", "source_tag, keyword, document_id, task"): (
            "update raw.prompts set keyword = 'Italian' where prompt_id = 'r0:b'"
        ),
        ("expect_messages_in_turns", "messages_json"): (
            """update raw.prompts set messages_json = '[{"role": "user", "content": "Hi"}]' where prompt_id = 'r0'"""
        ),
        (NOT_NULL, "baseline_kind"): "update raw.prompts set baseline_kind = null where prompt_id = 'r0'",
        (NOT_NULL, "baseline_text"): "update raw.prompts set baseline_text = null where prompt_id = 'r0'",
        (MATCHES, "baseline_text"): "update raw.prompts set baseline_text = '  ' where prompt_id = 'r0'",
        ("expect_a_document", "document_id"): "update raw.prompts set document_id = 'd9'",
        ("expect_distinct_prompts", "messages_json, prompt_text"): (
            "update raw.prompts set prompt_text = 'a' where prompt_id in ('r0', 'r1')"
        ),
        ("expect_fitting_articles", "prompt_text, baseline_text"): (
            "update raw.prompts set prompt_text = 'A Italy' where prompt_id = 'r0:b'"
        ),
        REMOVED: QUARANTINED.format("assemble", "r"),
    },
    "prompt_factors": {
        ROWS: "delete from raw.prompt_factors",
        (COMPOUND, "prompt_id, factor"): "insert into raw.prompt_factors select * from raw.prompt_factors",
        ("expect_a_prompt", "prompt_id"): "delete from raw.prompts where prompt_id = 'r0'",
        ("expect_declared_levels", "level"): (f"update raw.prompt_factors set level = {HARD} where prompt_id = 'r0'"),
        (MATCHES, "level"): "update raw.prompt_factors set level = ' ' where factor = 'tone'",
        (MATCHES_NOT, "level"): (
            "update raw.prompt_factors set level = 'a x b' where prompt_id = 'r0' and factor = 'tone'"
        ),
        ("expect_prompts_of_every_level", "level"): "update raw.prompt_factors set level = 'Italy'",
        ("expect_levels_of_every_prompt", "factor"): "delete from raw.prompt_factors where factor = 'tone'",
    },
    "responses": {
        ROWS: "delete from raw.responses",
        (COMPOUND, "system_id, prompt_id, replicate"): (
            "insert into raw.responses select * from raw.responses where prompt_id = 'r0'"
        ),
        (BETWEEN, "replicate"): "update raw.responses set replicate = -1 where prompt_id = 'r0'",
        (IN_SET, "status"): "update raw.responses set status = 'fine' where prompt_id = 'r0'",
        (NOT_NULL, "response_text"): "update raw.responses set response_text = null where not is_empty",
        (MATCHES, "response_text"): "update raw.responses set response_text = ' ' where is_refused",
        (MATCHES_NOT, "response_text"): "update raw.responses set is_empty = true",
        (NULL, "response_text"): "update raw.responses set status = 'not_recorded'",
        ("expect_is_refused_where_ok", "is_refused"): "update raw.responses set is_refused = null",
        (IN_SET, "outcome"): "update raw.responses set outcome = 'fine' where prompt_id = 'r0'",
        ("expect_outcome_where_ok", "outcome"): "update raw.responses set outcome = null where prompt_id = 'r0'",
        ("expect_is_empty_where_ok", "is_empty"): ("update raw.responses set is_empty = null where prompt_id = 'r0'"),
        ("expect_is_truncated_where_ok", "is_truncated"): (
            "update raw.responses set status = 'error', error = 'no', is_refused = null, is_empty = null"
        ),
        (NOT_NULL, "error"): "update raw.responses set status = 'error' where prompt_id = 'r0'",
        (MATCHES, "error"): ("update raw.responses set status = 'error', error = ' ' where prompt_id = 'r0'"),
        (MATCHES_NOT, "error"): "update raw.responses set error = 'time-out' where status = 'ok'",
        ("expect_a_system", "system_id"): ("update raw.responses set system_id = 'baseline' where prompt_id = 'r0'"),
        ("expect_a_prompt", "prompt_id"): "delete from raw.prompts where prompt_id = 'r0'",
        ("expect_responses_of_every_system", "system_id"): (
            "insert into raw.systems select * replace ('it''s :new' as system_id) "
            "from raw.systems where system_id = 'fair'"
        ),
        ("expect_responses_to_every_prompt", "prompt_id"): ("delete from raw.responses where prompt_id = 'r0'"),
        (BETWEEN, "latency_seconds"): "update raw.responses set latency_seconds = 'inf'",
        (BETWEEN, "n_tokens_in"): "update raw.responses set n_tokens_in = -1",
        (BETWEEN, "n_tokens_out"): "update raw.responses set n_tokens_out = -1",
        ("expect_no_tag_before_the_answer", "response_text"): (
            "update raw.responses set response_text = '<plan>Hm.</plan>Fine.' where response_text = 'Fine.'"
        ),
        ("expect_few_errors_of_each_group", "system_id, status"): (
            "update raw.responses set status = 'error', error = 'no' where prompt_id in "
            "(select prompt_id from raw.prompt_factors where level = 'Italy')"
        ),
        ("expect_few_errors", "status"): (
            "update raw.responses set status = 'error', error = 'no' where prompt_id = 'r0'"
        ),
        ("expect_outputs", "response_text"): "update raw.responses set is_empty = true",
        ("expect_valid_levels", "(table)"): QUARANTINED.format("assemble", "invalid_level"),
        ("expect_one_record_of_each_pair", "(table)"): QUARANTINED.format("assemble", "duplicate_key"),
        ("expect_levels_as_declared", "(table)"): (
            "insert into raw.normalised_levels values ('s', 't.csv:row 1', 'tone', 'WARM', 'warm')"
        ),
        ("expect_responses_in_every_designed_cell", "system_id, prompt_id"): (
            "delete from raw.responses where prompt_id = 'r0'"
        ),
        REMOVED: QUARANTINED.format("generate", "r"),
    },
    "measurements": {
        ROWS: "delete from raw.measurements",
        (COMPOUND, "system_id, prompt_id, replicate, measure_id"): (
            "insert into raw.measurements select * from raw.measurements"
        ),
        (BETWEEN, "value"): "update raw.measurements set value = 'nan'",
        (BETWEEN, "baseline_value"): "update raw.measurements set baseline_value = '-inf'",
        ("expect_a_measure", "measure_id"): "delete from raw.measures where measure_id = 'refusal'",
        ("expect_a_response", "system_id, prompt_id, replicate"): ("delete from raw.responses where prompt_id = 'r0'"),
        ("expect_value_or_reason", "value, label, reason"): (
            "update raw.measurements set reason = 'no_words' where prompt_id = 'r0'"
        ),
        ("expect_values_on_scale", "value, baseline_value"): (
            "update raw.measurements set value = 1.01 where measure_id = 'sentiment'"
        ),
        ("expect_binary_values", "value"): ("update raw.measurements set value = 0.5 where measure_id = 'refusal'"),
        ("expect_measurements_of_every_response", "measure_id"): (
            "delete from raw.measurements where measure_id = 'label'"
        ),
        ("expect_few_without_score", "reason"): (
            "update raw.measurements set value = null, reason = 'other_language' where measure_id = 'sentiment'"
        ),
        ("expect_responses_in_every_cell", "grouping_id, group_id, measure_id"): (
            "update raw.measurements set value = null, reason = 'no_words' "
            "where measure_id = 'sentiment' and prompt_id in ('r0', 'r1', 'r2')"
        ),
        ("expect_few_removed", "measure_id"): "insert into raw.quarantine select 's', 'extract', "
        "'fair/r' || i || '/''{x}/0/label', 'not_a_number', 'd', null, now()::timestamp "
        "from range(3) as t(i)",
    },
}
CASES = [(table, *key, bad) for table, cases in BAD.items() for key, bad in cases.items()]


@pytest.fixture
def failed(connection, study, monkeypatch):
    """The columns of a table's expectations of a name that fail; the others, which take as long, are not evaluated."""

    def columns(table, name):
        module = import_module(f"expectations.{table}")
        suite = module.suite(study)
        suite.expectations = [one for one in suite.expectations if getattr(one, "name", one.expectation_type) == name]
        monkeypatch.setattr(module, "suite", lambda study: suite)
        results = run_suites(connection, study, [table], run_id="r")
        return {result.column_name for result in results if not result.success}

    return columns


def test_good_data_satisfies_every_expectation_and_each_has_data_that_it_fails_on(connection, study):
    results = run_suites(connection, study, CHECKED_TABLES, run_id="r")
    assert [result for result in results if not result.success] == []
    expectations = [(result.table_name, result.expectation, result.column_name) for result in results]
    filled = [
        (table, name, column) for table, columns in FILLED.items() for column in columns for name in (NOT_NULL, MATCHES)
    ]
    assert sorted(expectations) == sorted([case[:3] for case in CASES] + filled)
    # no page of a wiki, no message before a prompt, no error
    assert {(r.table_name, r.expectation, r.column_name) for r in results if not r.n_evaluated} == {
        ("documents", NOT_NULL, "revision"),
        ("documents", NOT_NULL, "licence"),
        ("prompts", "expect_messages_in_turns", "messages_json"),
        ("responses", NULL, "response_text"),
        ("responses", NOT_NULL, "error"),
        ("responses", MATCHES, "error"),
        ("responses", MATCHES_NOT, "error"),
    }


@pytest.mark.parametrize(
    ("rows", "is_bad"),
    [
        ("system_id = 'baseline'", False),
        ("system_id in ('baseline', 'fair')", False),
        ("system_id = 'fair' and prompt_id != 'r0'", True),
    ],
)
def test_a_measure_as_written_is_whole_where_its_system_has_it(connection, failed, rows, is_bad):
    as_written = "replace ('sentiment_as_written' as measure_id)"
    connection.execute(
        f"insert into raw.measures select * {as_written} from raw.measures where measure_id = 'sentiment'"
    )
    connection.execute(
        f"insert into raw.measurements select * {as_written} from raw.measurements "
        f"where measure_id = 'sentiment' and {rows}"
    )
    assert ("measure_id" in failed("measurements", "expect_measurements_of_every_response")) == is_bad


@pytest.mark.parametrize(("name", "bad"), [(NOT_NULL, NULLS), (MATCHES, BLANKS)])
@pytest.mark.parametrize("table", FILLED)
def test_every_key_and_text_is_filled(connection, failed, table, name, bad):
    for column in FILLED[table]:
        connection.execute(bad.format(table, column))
    assert set(FILLED[table]) <= failed(table, name)


@pytest.mark.parametrize(
    ("table", "name", "columns", "bad"), CASES, ids=[f"{case[0]}-{case[1]}-{case[2]}" for case in CASES]
)
def test_an_expectation_fails_on_its_bad_data(connection, failed, table, name, columns, bad):
    connection.execute(bad)
    assert columns in failed(table, name)


@pytest.mark.parametrize(
    ("table", "name", "bad"),
    [
        ("prompts", "expect_one_root", "update raw.prompts set is_root = false where prompt_id = 'r0'"),
        ("responses", BETWEEN, "update raw.responses set latency_seconds = -1"),
        ("responses", "expect_a_system", "update raw.responses set system_id = 'gone'"),
        ("sentences", NOT_NULL, "update raw.sentences set level = null where level = 'Italy'"),
        ("measurements", "expect_a_response", "update raw.measurements set replicate = 1 where system_id = 'baseline'"),
        ("measurements", "expect_a_response", "update raw.measurements set prompt_id = 'p9' where prompt_id = 'r0'"),
        ("measurements", "expect_value_or_reason", "update raw.measurements set value = null"),
        ("measurements", "expect_value_or_reason", "update raw.measurements set label = null"),
        ("measurements", "expect_value_or_reason", "update raw.measurements set value = 1, reason = null"),
        ("measurements", "expect_values_on_scale", "update raw.measurements set baseline_value = -1.01"),
        (
            "measurements",
            BETWEEN,
            "update raw.measures set scale_low = null, scale_high = null; update raw.measurements set value = 1e101",
        ),
        ("measurements", "expect_responses_in_every_cell", "delete from raw.measurements where prompt_id <> 'r0'"),
    ],
)
def test_it_fails_on_the_other_ways_to_be_wrong(connection, failed, table, name, bad):
    connection.execute(bad)
    assert failed(table, name)


@pytest.mark.parametrize(
    ("text", "is_tag"),
    [
        ("<plan>Hm.</plan>Fine.", True),
        (" <|plan|>Fine.", True),
        ("[PLAN]Fine.", True),
        ("◁plan▷Fine.", True),
        ("< 5 years", False),
        ("[1] says so", False),
        ("[A] yes", False),
        ("Fine: <b>so</b>", False),
    ],
)
def test_a_tag_before_an_answer_warns_and_a_sign_does_not(connection, study, text, is_tag):
    connection.execute("update raw.responses set response_text = ? where not is_empty", [text])
    found = [
        result
        for result in run_suites(connection, study, ["responses"], run_id="r")
        if result.expectation == "expect_no_tag_before_the_answer"
    ]
    assert [(result.success, result.severity) for result in found] == [(not is_tag, "warning")]


@pytest.mark.parametrize(
    ("table", "bad", "found"),
    [
        (
            "prompts",
            "update raw.prompts set prompt_text = chr(10) where prompt_id = 'r0'",
            (MATCHES, 8, 1, [{"prompt_id": "r0", "prompt_text": "\n"}]),
        ),
        (
            "prompt_factors",
            "insert into raw.prompt_factors select * from raw.prompt_factors where prompt_id = 'r0'",
            (COMPOUND, 27, 6, [{"prompt_id": "r0", "factor": "concept"}]),
        ),
        (
            "responses",
            f"update raw.responses set status = {HARD} where prompt_id = 'r0'",
            (
                IN_SET,
                8,
                1,
                [{"system_id": "fair", "prompt_id": "r0", "replicate": 0, "status": "no 'such' :level {x}"}],
            ),
        ),
        ("responses", "delete from raw.responses", (ROWS[0], 1, 1, [])),
        (
            "sentences",
            "update raw.sentences set level = null where level = 'Italy'",
            (NOT_NULL, 4, 2, [{"sentence_id": "d0:1:Italy", "level": None}]),
        ),
    ],
)
def test_what_is_unexpected_is_counted_and_shown_with_its_key(connection, study, table, bad, found):
    connection.execute(bad)
    results = run_suites(connection, study, [table], run_id="r")
    (result,) = [result for result in results if not result.success and result.expectation == found[0]]
    assert (result.expectation, result.n_evaluated, result.n_unexpected) == found[:3]
    assert json.loads(result.examples_json)[:1] == found[3]


def test_responses_that_were_not_recorded_are_no_gap(connection, study):
    connection.execute(f"update raw.responses set status = 'not_recorded', {NOTHING_OBSERVED}")
    connection.execute(
        "update raw.measurements set value = null, reason = 'no_response_text' where measure_id = 'refusal'"
    )
    results = run_suites(connection, study, ["responses", "measurements"], run_id="r")
    assert [result for result in results if not result.success] == []


def test_rows_of_another_study_are_not_looked_at(connection, study):
    for table in ("documents", "sentences", "prompts", "responses", "measurements"):
        connection.execute(f"insert into raw.{table} select * replace ('other' as study_id) from raw.{table}")
    connection.execute("update raw.measurements set value = 'nan' where study_id = 'other'")
    assert [r for r in run_suites(connection, study, CHECKED_TABLES, run_id="r") if not r.success] == []


def test_a_system_full_of_errors_is_not_hidden_by_others(connection, study):
    for i in range(40):
        connection.execute(
            "insert into raw.systems select * replace (? as system_id) from raw.systems where system_id = 'fair'",
            [f"g{i}"],
        )
        connection.execute(
            "insert into raw.responses select * replace (? as system_id) from raw.responses where system_id = 'fair'",
            [f"g{i}"],
        )
    connection.execute(
        f"update raw.responses set status = 'error', error = 'it''s down', {NOTHING_OBSERVED} where system_id = 'g7'"
    )
    results = run_suites(connection, study, ["responses"], run_id="r")
    failed = [r for r in results if not r.success and r.severity == "critical"]
    assert [r.expectation for r in failed] == ["expect_few_errors", "expect_few_errors_of_each_group"]
    (found, _) = failed
    assert (found.n_evaluated, found.n_unexpected) == (41, 1)
    assert found.examples_json == '[{"system_id": "g7", "n_errors": 8, "n_responses": 8, "error": "it\'s down"}]'


@pytest.mark.parametrize(("n_errors", "is_few"), [(1, True), (2, False)])
def test_errors_in_one_group_are_not_hidden_by_the_others(connection, study, n_errors, is_few):
    of_level = "select prompt_id from raw.prompt_factors where factor = 'tone' and level = 'warm'"
    for i in range(1, 20):  # 160 responses, at most 2 of them errors
        connection.execute(
            f"insert into raw.responses select * replace ({i} as replicate) from raw.responses "
            f"where replicate = 0 and prompt_id not in ({of_level})"
        )
    connection.execute(
        f"update raw.responses set status = 'error', error = 'down', {NOTHING_OBSERVED} "
        f"where prompt_id in ({of_level} order by prompt_id limit {n_errors})"
    )
    results = {r.expectation: r for r in run_suites(connection, study, ["responses"], run_id="r")}
    assert results["expect_few_errors"].success
    of_groups = results["expect_few_errors_of_each_group"]
    assert (of_groups.success, of_groups.severity) == (is_few, "critical")


def test_removed_records_up_to_the_bound_pass_and_keep_their_share(connection, study):
    connection.execute(QUARANTINED.format("assemble", "r"))
    results = run_suites(connection, _allowing(study, 3 / 11), ["prompts"], run_id="r")
    (found,) = [result for result in results if result.expectation == "expect_few_removed"]
    assert found.success
    assert (found.n_evaluated, found.n_unexpected, found.unexpected_share) == (11, 3, 3 / 11)


def test_rows_an_import_removes_are_a_share_of_its_responses(connection, imported_study):
    connection.execute(QUARANTINED.format("assemble", "r"))
    results = run_suites(connection, imported_study, ["prompts", "responses"], run_id="r")
    found = {r.table_name: r for r in results if r.expectation == "expect_few_removed"}
    assert set(found) == {"responses"}
    assert not found["responses"].success
    assert (found["responses"].n_evaluated, found["responses"].n_unexpected) == (11, 3)


def test_a_found_keyword_that_another_took_the_place_of_is_no_loss(connection, study):
    connection.execute(QUARANTINED.format("scrape", "r"))
    strict = _allowing(study, 0.1)
    (lost,) = _removed(connection, strict)
    connection.execute("update raw.quarantine set rule = 'keyword_of_the_domain'")
    (replaced,) = _removed(connection, strict)
    assert (lost.n_unexpected, replaced.n_unexpected) == (3, 0)
    assert not lost.success and replaced.success


@pytest.mark.parametrize("rule", ["refused_by_judge", "unusable_verdict"])
def test_a_pair_that_the_judge_of_the_study_refused_is_no_loss(connection, study, rule):
    connection.execute(QUARANTINED.format("assemble", "r"))
    strict = _allowing(study, 0.1)
    (lost,) = _removed(connection, strict, "prompts")
    connection.execute("update raw.quarantine set rule = ?", [rule])
    (judged,) = _removed(connection, strict, "prompts")
    assert (lost.n_unexpected, judged.n_unexpected) == (3, 0)
    assert not lost.success and judged.success


def _allowing(study, share):
    """The study with another bound of removed records."""
    quality = study.analysis.quality.model_copy(update={"max_removed_share": share})
    return study.model_copy(update={"analysis": study.analysis.model_copy(update={"quality": quality})})


def _removed(connection, study, table="sentences"):
    results = run_suites(connection, study, [table], run_id="r")
    return [result for result in results if result.expectation == "expect_few_removed"]


def test_cells_are_counted_within_every_declared_grouping(connection, study):
    results = run_suites(connection, study, ["measurements"], run_id="r")
    (cells,) = [result for result in results if result.expectation == "expect_responses_in_every_cell"]
    # concept 2, tone 2, concept x tone 4 groups; three measures of all, stance of the warm prompts only
    assert cells.n_evaluated == 3 * 8 + (2 + 1 + 2)


def test_an_import_may_come_without_documents_and_texts(connection, imported_study):
    connection.execute("delete from raw.documents; delete from raw.sentences")
    connection.execute("update raw.prompts set prompt_text = null")
    connection.execute(f"update raw.responses set status = 'not_recorded', {NOTHING_OBSERVED}")
    results = run_suites(connection, imported_study, CHECKED_TABLES, run_id="r")
    assert {result.table_name for result in results} == set(CHECKED_TABLES) - SCRAPED - {JUDGED}
    assert [result for result in results if not result.success] == []
