import json
import re
from pathlib import Path

from dagster_project.dbt import manifest_path
from docs.make_tables import TABLES, table_docs


def test_the_page_of_tables_is_that_of_the_dbt_project():
    written = TABLES.read_text(encoding="utf-8")
    assert written == table_docs(json.loads(manifest_path().read_bytes())), "run: python -m docs.make_tables"


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
