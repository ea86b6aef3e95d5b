import re
from itertools import permutations
from pathlib import Path

import duckdb
import pytest

from docs.make_tables import TABLES, auditor_queries, published_tables, table_docs
from docs.relations import entity_diagram, join_of, table_of
from python_assets.published.export import EXPORTED_WITH
from python_assets.transform.compile import compiled_project
from tests.words import outside_code

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path
    for folder, glob in {".": "*.md", "docs": "**/*.md", "bench": "*.md", "dbt_models": "*.md"}.items()
    for path in (ROOT / folder).glob(glob)
)
LONGEST = 120  # of a line of prose; what stands in a table or a block of code has its own shape
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)")
SQL = re.compile(r'^```sql\n(.*?)^```|plumbline sql (?:--format \w+ )?"([^"]+)"', re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def tables():
    return [table_of(node) for node in published_tables(compiled_project().manifest)]


def test_the_page_of_tables_is_that_of_the_dbt_project():
    written = TABLES.read_text(encoding="utf-8")
    assert written == table_docs(compiled_project().manifest), "run: python -m docs.make_tables"


def test_every_published_table_belongs_to_a_stage_of_an_export(tables):
    # reasons are of no study, and views hold what other tables do
    published = {table.name for table in tables if not table.is_view} - {"reasons"}
    assert set(EXPORTED_WITH) == published


def test_every_published_table_is_asked_by_a_query(tables):
    asked = {name for query in auditor_queries() for name in re.findall(r"\w+", query.sql)}
    assert {table.name for table in tables} - asked == set()


def test_every_promise_of_security_names_tests_that_are_there():
    file = ""
    promises = (ROOT / "docs" / "security.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("|").split(" | ") for line in promises if line.startswith("| ")]
    rows = [row for row in rows if row[-1].strip() != "test"]
    assert len(rows) > 30
    for promise, tests in rows:
        named = re.findall(r"`([\w/.]*)::(\w+)`", tests)
        assert named, promise
        for path, test in named:
            file = path or file
            assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{test}"


@pytest.fixture(scope="module")
def empty(tables):
    """Every published table without a row: what does not bind there binds nowhere."""
    with duckdb.connect() as connection:
        for table in tables:
            columns = ", ".join(f"{name} {kind}" for name, kind in table.types.items())
            connection.execute(f"create table {table.name} ({columns})")
        yield connection


def test_every_join_of_the_page_is_sql_that_runs(tables, empty):
    n_joins = 0
    for one, other in permutations(tables, 2):
        if join := join_of(one, other):
            empty.execute(f"select count(*) from {one.name} as a inner join {other.name} as b {join.sql}")
            n_joins += 1
    assert n_joins > 600


QUERIES = [
    pytest.param(sql, id=f"{path.relative_to(ROOT)}-{number}")
    for path in PAGES
    for number, found in enumerate(SQL.findall(path.read_text(encoding="utf-8")))
    if (sql := "".join(found)) not in ("select ...", "...")
]


@pytest.mark.parametrize("sql", QUERIES)
def test_the_sql_of_every_page_runs(empty, sql):
    empty.execute(sql)


def test_the_search_sees_sql_in_blocks_and_in_commands():
    assert len(QUERIES) > 35


def test_joins_are_by_all_that_two_tables_have_in_common(tables):
    by_name = {table.name: table for table in tables}

    def join(one, other):
        return join_of(by_name[one], by_name[other])

    assert join("measurements", "responses").sql == "using (study_id, system_id, prompt_id, replicate)"
    assert join("measurements", "responses").is_to_one and not join("responses", "measurements").is_to_one
    assert join("contrasts", "reasons").sql == "using (reason)"
    assert join("system_comparisons", "systems").on[-1] == ("system_id", "system_id")
    assert join("findings", "coverage").on[-1] == ("grouping_id", "factors")
    # both have parameters, of the extractor and of the statistic
    assert join("contrasts", "measures").sql == "using (study_id, measure_id)"
    assert join("documents", "contrasts") is None


def test_every_table_that_is_no_view_stands_in_the_diagram(tables):
    drawn = entity_diagram(tables)
    missing = [t.name for t in tables if not t.is_view and not re.search(rf"\b{t.name} ", drawn)]
    assert missing == ["reasons"]


def prose(path):
    """The lines of a page outside blocks of code and tables, by number."""
    return ((number, line) for number, line in outside_code(path) if not line.lstrip().startswith("|"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_line_of_prose_is_longer_than_one_of_code(path):
    assert [number for number, line in prose(path) if len(line) > LONGEST] == []


def anchors(path):
    titles = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_link_between_pages_leads_to_a_file_and_its_heading():
    for path in PAGES:
        for file, anchor in LINK.findall(path.read_text(encoding="utf-8")):
            target = path.parent / file if file else path
            assert target.exists(), f"{path.name}: {file}"
            assert not anchor or anchor in anchors(target), f"{path.name}: {file}#{anchor}"


def test_every_page_of_docs_stands_in_the_navigation_of_the_site():
    # the tags of mkdocs.yml name functions of its own packages, which only make docs installs
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = re.findall(r"[\w/]+\.md\b", site[site.index("\nnav:") :])
    assert sorted(named) == sorted(str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").glob("**/*.md"))
