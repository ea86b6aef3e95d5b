import gc
import json
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pytest
from bs4 import BeautifulSoup

from expectations import CHECKED_TABLES, JUDGED
from expectations.runner import blocking, explain, require, run_suites, write_data_docs
from python_assets.errors import QualityError, WarehouseError
from python_assets.warehouse.build import open_build

QUALITY = "select expectation, success from raw.data_quality where run_id = ? and table_name = ? order by all"


def test_every_result_becomes_a_data_quality_row(connection, study):
    connection.execute("update raw.prompts set task = 'chat'")
    results = run_suites(connection, study, ["prompts"], run_id="run-1")
    rows = connection.execute(
        "select * exclude (checked_at) from raw.data_quality order by expectation, column_name"
    ).fetchall()
    in_order = sorted(results, key=lambda r: (r.expectation, r.column_name))
    assert rows == [("s", "run-1", *result[:9]) for result in in_order]


def test_a_later_run_of_a_table_replaces_its_rows_and_no_other(connection, study):
    first = run_suites(connection, study, ["prompts", "responses"], run_id="run-1")
    connection.execute("update raw.prompts set task = 'chat'")
    second = run_suites(connection, study, ["prompts"], run_id="run-2")
    assert ("expect_column_values_to_be_in_set", False) in connection.execute(QUALITY, ["run-2", "prompts"]).fetchall()
    counts = connection.execute("select run_id, table_name, count(*) from raw.data_quality group by all order by all")
    assert counts.fetchall() == [
        ("run-1", "responses", sum(r.table_name == "responses" for r in first)),
        ("run-2", "prompts", len(second)),
    ]


def test_an_expectation_that_cannot_be_evaluated_is_an_error_and_no_row(connection, study, refused):
    connection.execute("alter table raw.responses drop column latency_seconds")
    with refused(QualityError, "raw.responses: expect_column_values_to_be_between (latency_seconds)"):
        run_suites(connection, study, ["prompts", "responses"], run_id="r")
    assert connection.execute("select count(*) from raw.data_quality").fetchone() == (0,)


def test_a_missing_table_is_an_error_too(connection, study, refused):
    connection.execute("drop table raw.responses")
    with refused(QualityError, "raw.responses: expect_table_row_count_to_be_between ((table))"):
        run_suites(connection, study, ["responses"], run_id="r")


def test_a_table_without_expectations_is_named(connection, study):
    with pytest.raises(ValueError, match="keywords"):
        run_suites(connection, study, ["keywords"], run_id="r")


def test_critical_failures_block_and_warnings_do_not(connection, study, refused):
    connection.execute("update raw.documents set sha256 = 'abc'")
    warned = run_suites(connection, study, CHECKED_TABLES, run_id="r")
    assert {result.severity for result in warned if not result.success} == {"warning"}
    require(warned)
    connection.execute("update raw.measurements set value = 'inf' where measure_id = 'sentiment'")
    failed = run_suites(connection, study, CHECKED_TABLES, run_id="r")
    assert [(r.expectation, r.column_name) for r in blocking(failed)] == [
        ("expect_column_values_to_be_between", "value"),
        ("expect_values_on_scale", "value, baseline_value"),
    ]
    with refused(QualityError, "raw tables"):
        require(failed)


def test_the_explanation_names_what_came(connection, study):
    connection.execute("update raw.prompts set task = 'it''s :odd {x}' where prompt_id = 'r0'")
    text = explain(blocking(run_suites(connection, study, ["prompts"], run_id="r")))
    assert '[{"prompt_id": "r0", "task": "it\'s :odd {x}"}]' in text


def test_examples_are_few_short_and_json(connection, study):
    connection.execute("update raw.measurements set value = 'inf', reason = repeat('é\"\u202e\n', 100000)")
    results = run_suites(connection, study, ["measurements"], run_id="r")
    stored = connection.execute(
        "select examples_json from raw.data_quality where expectation = 'expect_value_or_reason'"
    ).fetchone()[0]
    examples = json.loads(stored)
    assert stored == next(r.examples_json for r in results if r.expectation == "expect_value_or_reason")
    assert len(examples) == 5
    assert {example["value"] for example in examples} == {"inf"}
    assert {len(example["reason"]) for example in examples} == {200}


@pytest.mark.run
def test_a_large_text_is_cut(connection, study):
    connection.execute("update raw.responses set is_empty = true, response_text = repeat('a', 10000000)")
    results = run_suites(connection, study, ["responses"], run_id="r")
    (found,) = [r for r in results if not r.success and r.severity == "critical"]
    assert found.expectation == "expect_column_values_to_not_match_regex"
    assert found.n_unexpected == 8
    assert len(found.examples_json) < 5 * 400


def test_nothing_to_look_at_has_no_share(connection, study):
    connection.execute("delete from raw.measurements")
    results = run_suites(connection, study, ["measurements"], run_id="r")
    (found,) = [result for result in results if result.expectation == "expect_binary_values"]
    assert (found.success, found.n_evaluated, found.n_unexpected, found.unexpected_share) == (True, 0, 0, None)


def test_a_suite_reaches_for_no_network(connection, study, monkeypatch):
    reached = []

    def refuse(*arguments, **_):
        reached.append(arguments)
        raise OSError("no network here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket.socket, "sendto", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "gethostbyname", refuse)
    run_suites(connection, study, CHECKED_TABLES, run_id="r")
    assert reached == []


def test_a_suite_is_silent_and_leaves_no_files(connection, study, monkeypatch, tmp_path, capfd):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    run_suites(connection, study, CHECKED_TABLES, run_id="r")
    assert capfd.readouterr() == ("", "")
    assert list(folder.iterdir()) == []


def test_importing_the_rules_does_not_import_great_expectations():
    script = "import sys, expectations.runner; sys.exit('great_expectations' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[2], check=False).returncode == 0


def test_analytics_are_off_before_the_import():
    script = (
        "import os; from expectations import runner; os.environ.pop('GX_ANALYTICS_ENABLED', None); "
        "validation = runner._validation(); assert os.environ['GX_ANALYTICS_ENABLED'] == 'false'; "
        "import duckdb\n"
        "with validation.open_source(duckdb.connect()) as source: "
        "assert source.data_context.variables.analytics_enabled is False"
    )
    subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[2], check=True)


@pytest.fixture
def _no_collection():
    # what is not closed must not be closed by chance
    gc.disable()
    yield
    gc.enable()


@pytest.mark.run
@pytest.mark.usefixtures("_no_collection")
def test_the_connection_stays_open_and_the_file_is_free_afterwards(study, tmp_path):
    path = tmp_path / "build.duckdb"
    with open_build(path) as connection:
        run_suites(connection, study, CHECKED_TABLES, run_id="r")
        connection.execute("create table raw.later as select 1")
    with duckdb.connect(str(path), config={"threads": 1}) as other_settings:
        assert other_settings.execute("select count(*) from raw.later").fetchone() == (1,)
    script = f"import duckdb; duckdb.connect({str(path)!r}).close()"
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.usefixtures("_no_collection")
def test_the_file_is_free_after_an_error_too(study, tmp_path, refused):
    path = tmp_path / "build.duckdb"
    with (
        refused(QualityError, "raw.prompts: expect_table_row_count_to_be_between ((table))"),
        open_build(path) as connection,
    ):
        connection.execute("drop table raw.prompts")
        run_suites(connection, study, ["prompts"], run_id="r")
    duckdb.connect(str(path), config={"threads": 1}).close()


@pytest.mark.run
def test_a_file_is_gated_twice_in_one_process(connection, study):
    first = run_suites(connection, study, CHECKED_TABLES, run_id="r")
    assert run_suites(connection, study, CHECKED_TABLES, run_id="r") == first


@pytest.fixture
def data_docs():
    from expectations import data_docs

    return data_docs


def words_of(page):
    """The text of a page as a browser shows it, less its scripts."""
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    for script in soup(["script", "style"]):
        script.decompose()
    return " ".join(soup.get_text(" ").split())


@pytest.mark.run
def test_data_docs_say_what_is_expected_and_how_much_was_not(connection, study, tmp_path, snapshot):
    connection.execute("update raw.prompts set task = 'chat' where prompt_id = 'r0'")
    for _ in range(2):
        index = write_data_docs(connection, study, tmp_path / "docs")
    assert index == tmp_path / "docs" / "index.html" and index.is_file()
    validations = sorted((tmp_path / "docs" / "validations").rglob("*.html"))
    assert [page.stem for page in validations] == [
        f"build-{table}" for table in sorted({*CHECKED_TABLES} - {JUDGED})
    ]  # the second's alone
    shown = {page.stem: words_of(page) for page in validations}
    assert "Status: Failed" in shown["build-prompts"] and "Status: Succeeded" in shown["build-responses"]
    expected = words_of(tmp_path / "docs" / "expectations" / "responses.html")
    assert [
        re.search(r"(\S+ ){7}raw\.prompts 0 of 8 \S+", shown["build-responses"])[0],
        *re.findall(r"(?:\S+ ){6}is error", expected),
    ] == snapshot


def test_data_docs_hold_no_text_of_a_model_and_no_markup_of_a_study(connection, study, tmp_path):
    attack = "<img src=x onerror=alert(1)>"
    connection.execute("update raw.responses set is_empty = true, response_text = ?", [attack])
    changed = study.model_copy(update={"measures": [study.measures[0].model_copy(update={"name": attack})]})
    write_data_docs(connection, changed, tmp_path / "docs")
    pages = list((tmp_path / "docs").rglob("*.html"))
    assert [page for page in pages if "<img src=x" in page.read_text(encoding="utf-8")] == []


def test_data_docs_that_cannot_be_written_are_told_in_a_line(connection, study, data_docs, tmp_path, refused):
    (tmp_path / "docs").write_text("no folder", encoding="utf-8")
    with refused(WarehouseError, "the file"):
        data_docs.write_data_docs(connection, study, ["documents"], tmp_path / "docs")
