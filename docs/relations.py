"""How the published tables belong together: keys, the joins of every two of them, the entity diagram.

Belongs here: what docs/tables.md and its tests work out from the dbt project. Writing the page is
make_tables.py.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

# columns that stand for a key of another name
STANDS_FOR: Final = {
    "system_id": "system_id",
    "reference_system_id": "system_id",
    "factor_a": "factor",
    "factor_b": "factor",
    "factors": "grouping_id",
}
# what rows of other tables are about
ENTITIES: Final = (
    "studies", "documents", "factors", "measures", "systems", "prompts", "responses", "clusters",
    "findings", "red_flags",
)  # fmt: skip


class Table(NamedTuple):
    """A published table: what tells its rows apart, and its columns with type and description."""

    name: str
    key: tuple[str, ...]
    types: dict[str, str]
    descriptions: dict[str, str]

    @property
    def is_view(self) -> bool:
        """Whether it is one of the views, which hold what other tables do."""
        return self.name.startswith("v_")


class Join(NamedTuple):
    """How rows of a table find those of another.

    on: the columns of the one and of the other, pair by pair. is_to_one: whether a row finds one at most.
    """

    on: tuple[tuple[str, str], ...]
    is_to_one: bool

    @property
    def sql(self) -> str:
        """What follows `a inner join b`."""
        if all(left == right for left, right in self.on):
            return f"using ({', '.join(left for left, _ in self.on)})"
        return "on " + " and ".join(f"a.{left} = b.{right}" for left, right in self.on)


def table_of(node: Mapping[str, Any]) -> Table:
    """A published table as dbt's manifest describes it; its description begins with its key.

    Raises:
        ValueError: the description does not say what a row is of.
    """
    description = " ".join(node["description"].split())
    said = re.match(r"One row per (?:\(([^)]*)\)|(\w+))", description)
    if said is None:
        raise ValueError(f"{node['name']}: expected a description that begins with One row per (KEY)")
    columns = node["columns"].values()
    return Table(
        name=node["name"],
        key=tuple((said[1] or said[2]).split(", ")),
        types={column["name"]: column["data_type"] for column in columns},
        descriptions={column["name"]: " ".join(column["description"].split()) for column in columns},
    )


def join_of(one: Table, other: Table) -> Join | None:
    """How rows of a table find those of another; None where they have no more than the study in common."""
    if "reasons" in (one.name, other.name):
        return _join_of_reasons(one, other)
    keys = [*other.key, *(name for name in one.key if name not in other.key)]
    on = [(name, name) for name in keys if _is_shared(name, one, other)]
    on += _renamed(one, other)
    if len(on) < 2:
        return None
    return Join(tuple(on), set(other.key) <= {right for _, right in on})


def _join_of_reasons(one: Table, other: Table) -> Join | None:
    if "reason" not in one.types or "reason" not in other.types:
        return None
    return Join((("reason", "reason"),), other.name == "reasons")


def _is_shared(name: str, one: Table, other: Table) -> bool:
    """Whether both have the column and mean the same by it: all ids do, others where they say so."""
    if name not in one.types or name not in other.types:
        return False
    return name.endswith("_id") or one.descriptions[name] == other.descriptions[name]


def _renamed(one: Table, other: Table) -> list[tuple[str, str]]:
    """The first column of either that stands for a key which the other calls by its own name."""
    pairs = [
        pair
        for name, key in STANDS_FOR.items()
        for pair, left, right in (((name, key), one, other), ((key, name), other, one))
        if name in left.types
        and key in right.types
        and key not in left.types
        and name not in right.types
        and (name in left.key or key in right.key)
    ]
    return pairs[:1]


def joins(table: Table, tables: Sequence[Table]) -> dict[str, list[str]]:
    """The other tables that rows of one find rows of, by the SQL that does; one row, or rows, of each."""
    found: dict[str, list[str]] = {}
    for other in tables:
        if other.name != table.name and (join := join_of(table, other)) is not None:
            said = f"`{other.name}`" if join.is_to_one else f"rows of `{other.name}`"
            found.setdefault(join.sql, []).append(said)
    return found


def entity_diagram(tables: Sequence[Table]) -> str:
    """The tables as a diagram in Mermaid: a line from each to those of ENTITIES that its rows belong to.

    One that belongs to another which is drawn too goes without saying.
    """
    entities = [table for table in tables if table.name in ENTITIES]
    lines = []
    for table in tables:
        above = {} if table.is_view else _belonging(table, entities)
        beyond = {name for other in entities if other.name in above for name in _belonging(other, entities)}
        lines += [
            f'    {name} |o--o{{ {table.name} : "{columns}"' for name, columns in above.items() if name not in beyond
        ]
    return "\n".join(["```mermaid", "erDiagram", *lines, "```"])


def _belonging(table: Table, entities: Sequence[Table]) -> dict[str, str]:
    """The entities that a row of a table finds one row of, and by which of its columns."""
    found = {}
    for other in entities:
        join = join_of(table, other)
        if other.key == ("study_id",) and "study_id" in table.types:
            join = Join((("study_id", "study_id"),), True)
        if other.name != table.name and join is not None and join.is_to_one:
            found[other.name] = ", ".join(left for left, _ in join.on if left != "study_id") or "study_id"
    return found
