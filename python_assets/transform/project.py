"""The compiled dbt project: its tables and tests in the order in which they are made, from dbt's manifest.json.

Belongs here: what depends on what, and which half of a run a table is of. How it is compiled is compile.py.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, Final

# the keys of tables between are a matter of the code, as unit tests are: `dbt build` by hand and `make test` run them
OF_THE_CODE: Final = "grain"
INFERENCE: Final = "inference"
"""The schema that Python writes between the two halves; the exposure of this name lists what it reads."""
MODEL, SEED, TEST = "model", "seed", "test"
EPHEMERAL, VIEW = "ephemeral", "view"
_UNIQUE: Final = "unique_key"


@dataclass(frozen=True)
class Project:
    """A dbt project that dbt has compiled.

    Attributes:
        folder: the project; Python models and seeds are read from it.
        manifest: dbt's manifest.json, its SQL compiled.
    """

    folder: Path
    manifest: Mapping[str, Any]

    @property
    def nodes(self) -> Mapping[str, Any]:
        """Models, seeds and data tests by unique_id."""
        nodes: Mapping[str, Any] = self.manifest["nodes"]
        return nodes

    @property
    def sources(self) -> Mapping[str, Any]:
        """The tables that Python writes, by unique_id."""
        sources: Mapping[str, Any] = self.manifest["sources"]
        return sources

    @cached_property
    def steps(self) -> list[str]:
        """What a run makes, each after all that it reads; a test right after the last table that it reads."""
        parents, nodes = self.manifest["parent_map"], self.nodes
        graph = {node: [one for one in parents[node] if one in nodes] for node in nodes if not is_test(nodes[node])}
        tables = list(TopologicalSorter(graph).static_order())
        position_of = {node: position for position, node in enumerate(tables)}
        tests = [node for node in nodes if is_test(nodes[node]) and OF_THE_CODE not in nodes[node]["tags"]]
        for test in tests:
            position_of[test] = max((position_of[one] for one in parents[test] if one in position_of), default=-1)
        made = [node for node in tables if nodes[node]["config"]["materialized"] != EPHEMERAL]
        return sorted([*made, *tests], key=lambda node: (position_of[node], is_test(nodes[node])))

    @cached_property
    def before_inference(self) -> list[str]:
        """The steps of the first half."""
        return [step for step in self.steps if step not in self._after_inference]

    @cached_property
    def after_inference(self) -> list[str]:
        """The steps of the second half: what reads the tables of inference, directly or not."""
        return [step for step in self.steps if step in self._after_inference]

    @cached_property
    def read_by_inference(self) -> list[str]:
        """The tables that inference reads, as its exposure says."""
        read: list[str] = self.manifest["exposures"][f"exposure.plumbline.{INFERENCE}"]["depends_on"]["nodes"]
        return read

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of models and seeds."""
        return frozenset(node["name"] for node in self.nodes.values() if not is_test(node))

    def of_names(self, names: Iterable[str]) -> list[str]:
        """The models and seeds of these names; other names are left out."""
        wanted = set(names)
        return [node for node, of in self.nodes.items() if not is_test(of) and of["name"] in wanted]

    def with_ancestors(self, tables: Iterable[str]) -> set[str]:
        """These nodes and all that they are made of, tables that Python writes included."""
        ancestors: set[str] = set()
        left = list(tables)
        while left:
            if (node := left.pop()) not in ancestors:
                ancestors.add(node)
                left += self.manifest["parent_map"].get(node, ())
        return ancestors

    def steps_of(self, tables: Collection[str], made: Collection[str] = ()) -> list[str]:
        """The steps of these tables alone, and the tests of them that read nothing which is not made.

        Args:
            tables: unique_ids of models and seeds.
            made: those that are there already.
        """
        chosen, there = set(tables), self.with_ancestors([*tables, *made])
        parents = self.manifest["parent_map"]
        return [
            step
            for step in self.steps
            if step in chosen
            or (is_test(self.nodes[step]) and chosen & set(parents[step]) and there >= set(parents[step]))
        ]

    @cached_property
    def _after_inference(self) -> set[str]:
        descendants: set[str] = set()
        left = [source for source, of in self.sources.items() if of["schema"] == INFERENCE]
        while left:
            for child in self.manifest["child_map"][left.pop()]:
                if child not in descendants:
                    descendants.add(child)
                    left.append(child)
        return descendants


def relation(node: Mapping[str, Any]) -> str:
    """A model, seed or source as SQL names it: without the database, which is the name of a file."""
    return f'"{node["schema"]}"."{node.get("alias") or node["identifier"]}"'


def key_of(project: Project, test: Mapping[str, Any]) -> list[str]:
    """The columns of the key of the table that a data test is of, as its test of it says; none where it has none."""
    nodes, table = project.nodes, test.get("attached_node")
    table_nodes = (nodes[child] for child in project.manifest["child_map"].get(table, ()) if child in nodes)
    metadata = (node.get("test_metadata") or {} for node in table_nodes)
    return next((list(one["kwargs"]["columns"]) for one in metadata if one.get("name") == _UNIQUE), [])


def is_test(node: Mapping[str, Any]) -> bool:
    """Whether a node is a data test; the others are tables."""
    return bool(node["resource_type"] == TEST)
