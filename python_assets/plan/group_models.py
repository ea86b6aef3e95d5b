"""The dbt models that form groups and count coverage, run on planned prompts without dbt.

Belongs here: rendering their files as dbt does, and joining what is planned to the groups that they form.
A plan answers in a second or two, on a machine too where nothing is compiled yet, which takes dbt some twenty; as both
run the same text, a plan and the marts agree. These models use source(), ref() and macros/groups, and nothing else of
dbt.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, Final

import duckdb
import pandas as pd
from jinja2 import Environment, StrictUndefined, Template

from python_assets.warehouse import paths

DBT_PROJECT: Final = paths.PROJECT / "dbt_models"
READ_BY_PLANS: Final = ("int_prompt_groups", "int_settings", "coverage", "factor_aliasing", "factors")
_CELLS = """
    create or replace temp table planned_cells as
    select slice_id, grouping_id, scheme, groups.unit_id, groups.unit_factor, block_id, root_prompt_position,
        stratum_id, group_id,
        case answers.system_id when '' then planned.system_id else 'all' end as system_id,
        sum(n)::bigint as n_responses, count(*) as n_prompts, answers.system_id <> '' as is_of_models
    from intermediate.int_prompt_groups as groups
    join (select prompt_id, asked_prompt_id, system_id from intermediate.int_answers) as answers
        using (prompt_id)
    join planned_responses as planned
        on planned.prompt_id = answers.asked_prompt_id
        and answers.system_id in ('', planned.system_id)
    group by all
"""


def build_group_models(connection: duckdb.DuckDBPyConnection) -> None:
    """Make what a plan reads: int_prompt_groups, and the marts coverage, factor_aliasing and factors.

    Args:
        connection: with the raw tables of prompts, of their design and of factors of models filled.
    """
    build_models(connection, READ_BY_PLANS)


def build_models(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> None:
    """Make some models, and the models that they are made of.

    Args:
        connection: with the raw tables filled that they read.
        names: models that use nothing of dbt but source(), ref() and macros/groups.
    """
    project = _Project(connection)
    for name in names:
        project.ref(name)


def fill_planned_cells(connection: duckdb.DuckDBPyConnection, responses: pd.DataFrame) -> None:
    """Make the temporary table planned_cells: what each group has in each block, by slice and generation.

    Args:
        connection: with intermediate.int_prompt_groups.
        responses: one row a generation and prompt: system_id, prompt_id and n, how many there are.
    """
    connection.register("planned_responses", responses)
    try:
        connection.execute(_CELLS)
    finally:
        connection.unregister("planned_responses")


class _Project:
    """The dbt project as far as ref() reaches: a model is made when it is first referred to."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._tables: dict[str, str] = {}
        self._environment = Environment(undefined=StrictUndefined)
        self._environment.globals.update(ref=self.ref, source="{}.{}".format, target={"type": "duckdb"})
        self._environment.globals.update(self._macros())

    def ref(self, name: str) -> str:
        """The table of a model; its folder names the schema."""
        if name not in self._tables:
            (path,) = (DBT_PROJECT / "models").rglob(f"{name}.sql")
            schema = path.relative_to(DBT_PROJECT / "models").parts[0]
            query = self._template(path).render()
            self._tables[name] = f"{schema}.{name}"
            self._connection.execute(f"create or replace table {self._tables[name]} as {query}")
        return self._tables[name]

    def _macros(self) -> dict[str, Any]:
        return vars(self._template(*sorted((DBT_PROJECT / "macros" / "groups").glob("*.sql"))).module)

    def _template(self, *files: Path) -> Template:
        """Files as one template, as they are now."""
        compiled = _compiled("".join(path.read_text(encoding="utf-8") for path in files))
        return Template.from_code(self._environment, compiled, self._environment.make_globals(None))


@cache
def _compiled(text: str) -> CodeType:
    """A text is compiled once a process; a file that was edited since is another text."""
    return Environment(undefined=StrictUndefined).compile(text)
