import json
import re
from itertools import permutations
from pathlib import Path

import duckdb
import pytest

from dagster_project.dbt import manifest_path
from docs.make_tables import TABLES, published_tables, table_docs
from docs.relations import entity_diagram, join_of, table_of
from python_assets.published.export import EXPORTED_WITH


@pytest.fixture(scope="module")
def tables():
    return [table_of(node) for node in published_tables(json.loads(manifest_path().read_bytes()))]


def test_the_page_of_tables_is_that_of_the_dbt_project():
    written = TABLES.read_text(encoding="utf-8")
    assert written == table_docs(json.loads(manifest_path().read_bytes())), "run: python -m docs.make_tables"


def test_every_published_table_belongs_to_a_stage_of_an_export(tables):
    # reasons are of no study, and views hold what other tables do
    published = {table.name for table in tables if not table.is_view} - {"reasons"}
    assert set(EXPORTED_WITH) == published


def test_every_promise_of_security_names_tests_that_are_there():
    root, file = Path(__file__).parents[1], ""
    promises = (root / "docs" / "security.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("|").split(" | ") for line in promises if line.startswith("| ")]
    rows = [row for row in rows if row[-1].strip() != "test"]
    assert len(rows) > 30
    for promise, tests in rows:
        named = re.findall(r"`([\w/.]*)::(\w+)`", tests)
        assert named, promise
        for path, test in named:
            file = path or file
            assert f"def {test}(" in (root / file).read_text(encoding="utf-8"), f"{file}::{test}"


def test_every_join_of_the_page_is_sql_that_runs(tables):
    with duckdb.connect() as connection:
        for table in tables:
            columns = ", ".join(f"{name} {kind}" for name, kind in table.types.items())
            connection.execute(f"create table {table.name} ({columns})")
        n_joins = 0
        for one, other in permutations(tables, 2):
            if join := join_of(one, other):
                connection.execute(
                    f"select count(*) from {one.name} as a inner join {other.name} as b {join.sql}"
                )
                n_joins += 1
    assert n_joins > 600


def test_joins_are_by_all_that_two_tables_have_in_common(tables):
    by_name = {table.name: table for table in tables}

    def join(one, other):
        return join_of(by_name[one], by_name[other])

    assert join("measurements", "responses").sql == "using (study_id, generation_id, prompt_id, replicate)"
    assert join("measurements", "responses").is_to_one and not join("responses", "measurements").is_to_one
    assert join("contrasts", "reasons").sql == "using (reason)"
    assert join("generation_comparisons", "generations").on[-1] == ("generation_a_id", "generation_id")
    assert join("findings", "coverage").on[-1] == ("grouping_id", "factors")
    # both have parameters, of the extractor and of the statistic
    assert join("contrasts", "measures").sql == "using (study_id, measure_id)"
    assert join("documents", "contrasts") is None


def test_every_table_that_is_no_view_stands_in_the_diagram(tables):
    drawn = entity_diagram(tables)
    missing = [t.name for t in tables if not t.is_view and not re.search(rf"\b{t.name} ", drawn)]
    assert missing == ["reasons"]
