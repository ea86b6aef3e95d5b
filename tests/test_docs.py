import json

from dagster_project.dbt import manifest_path
from docs.make_tables import TABLES, table_docs


def test_the_page_of_tables_is_that_of_the_dbt_project():
    written = TABLES.read_text(encoding="utf-8")
    assert written == table_docs(json.loads(manifest_path().read_bytes())), "run: python -m docs.make_tables"
