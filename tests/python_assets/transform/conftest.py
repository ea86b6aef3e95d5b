"""Small compiled projects, in the shape of dbt's manifest, and dbt projects to compile."""

from pathlib import Path

import pytest
import yaml

from python_assets.transform.project import Project

PROFILE = {
    "plumbline": {"target": "t", "outputs": {"t": {"type": "duckdb", "path": ":memory:", "schema": "intermediate"}}}
}
NAME = """
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ custom_schema_name | trim if custom_schema_name else target.schema }}
{%- endmacro %}
{% macro ref() -%}{{ return(builtins.ref(*varargs, **kwargs).include(database=false)) }}{%- endmacro %}
"""


def node(name, sql="", kind="model", **fields):
    """A node of a manifest: a table of the schema marts, where nothing else is said."""
    config = {"materialized": "table", "severity": "ERROR", "contract": {"enforced": False}} | fields.pop("config", {})
    return {
        "resource_type": kind, "schema": "marts", "name": name, "alias": name, "language": "sql", "tags": [],
        "description": "", "columns": {}, "config": config, "compiled_code": sql, "constraints": [],
        "original_file_path": f"models/{name}.sql", "depends_on": {"nodes": [], "macros": []}, "attached_node": None,
        **fields,
    }  # fmt: skip


def column(kind, *, filled=False, description=""):
    """A column of a contract."""
    constraints = [{"type": "not_null"}] if filled else []
    return {"data_type": kind, "constraints": constraints, "description": description}


@pytest.fixture
def make_project(tmp_path):
    """A compiled project of nodes; a table that another reads stands before it."""

    def make(*nodes, sources=()):
        by_id = {f"{one['resource_type']}.plumbline.{one['name']}": one for one in nodes}
        for unique_id, one in by_id.items():
            one["unique_id"] = unique_id
            one["columns"] = {name: {"name": name, **of} for name, of in one["columns"].items()}
        parents = {
            unique_id: [of for of, other in by_id.items() if f"marts.{other['name']}" in one["compiled_code"]]
            for unique_id, one in by_id.items()
        }
        for unique_id, read in parents.items():
            by_id[unique_id]["depends_on"]["nodes"] = read
        children = {of: [one for one, read in parents.items() if of in read] for of in by_id}
        return Project(
            tmp_path, {"nodes": by_id, "sources": {}, "macros": {}, "parent_map": parents, "child_map": children}
        )

    return make


@pytest.fixture
def dbt_project(tmp_path):
    """Write a dbt project of some files."""

    def write(files, **settings):
        folder = tmp_path / "dbt_models"
        project = {
            "name": "plumbline",
            "profile": "plumbline",
            "flags": {"send_anonymous_usage_stats": False},
            **settings,
        }
        models = {"plumbline": {"+materialized": "table"}}
        written = {
            "dbt_project.yml": yaml.safe_dump({"models": models, **project}),
            "profiles.yml": yaml.safe_dump(PROFILE),
            "macros/names.sql": NAME,
            **files,
        }
        for name, text in written.items():
            path = folder / Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder

    return write
