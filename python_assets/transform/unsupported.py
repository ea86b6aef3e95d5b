"""What dbt can do and a run does not: a project that asks for it is refused when it is compiled."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from python_assets.transform.project import EPHEMERAL, MODEL, SEED, TEST, VIEW

MATERIALISATIONS: Final = {MODEL: ("table", VIEW, EPHEMERAL), SEED: (SEED,), TEST: (TEST,)}
# a setting, and the values that mean that it is not set
_OF_ALL: Final[Mapping[str, tuple[Any, ...]]] = {
    "pre-hook": ([],),
    "post-hook": ([],),
    "sql_header": (None,),
    "grants": ({},),
    "database": (None,),
}
_OF_TESTS: Final[Mapping[str, tuple[Any, ...]]] = {
    "limit": (None,),
    "warn_if": ("!= 0",),
    "error_if": ("!= 0",),
    "fail_calc": ("count(*)",),
    "store_failures": (None, False),
    "store_failures_as": (None,),
}
_OF_SEEDS: Final[Mapping[str, tuple[Any, ...]]] = {"delimiter": (",",), "fast": (True,)}
_SETTINGS: Final = {MODEL: _OF_ALL, SEED: {**_OF_ALL, **_OF_SEEDS}, TEST: _OF_TESTS}
_NOT_NULL: Final = "not_null"


def unsupported(manifest: Mapping[str, Any]) -> Iterator[str]:
    """What a project asks for that a run does not do, a line each: the node, its file and the setting.

    Args:
        manifest: dbt's manifest.json, seeds with a type of each column of their files in column_types.
    """
    for node in manifest["nodes"].values():
        for setting in _of_node(node):
            yield f"{node['resource_type']} {node['name']} ({node['original_file_path']}): {setting}"
    for function in manifest.get("functions", {}).values():
        yield f"function {function['name']} ({function['original_file_path']})"
    for source in manifest["sources"].values():
        if source["unrendered_database"]:
            yield f"source {source['schema']}.{source['name']} ({source['original_file_path']}): database"
    project = manifest["metadata"]["project_name"]
    for macro in manifest["macros"].values():
        if macro["package_name"] == project and macro["name"].startswith("materialization_"):
            yield f"macro {macro['name']} ({macro['original_file_path']})"


def _of_node(node: Mapping[str, Any]) -> Iterator[str]:
    kind, config = node["resource_type"], node["config"]
    if kind not in MATERIALISATIONS:  # a snapshot, a hook of the project
        yield kind
        return
    if config["materialized"] not in MATERIALISATIONS[kind]:
        yield f"materialized: {config['materialized']}"
    for setting, unset in _SETTINGS[kind].items():
        if setting in config and config[setting] not in unset:
            yield setting
    if kind == SEED:
        yield from (f"column_types without {name}" for name, of in config["column_types"].items() if of is None)
    if kind == MODEL:
        constraints = [*node["constraints"], *(one for of in node["columns"].values() for one in of["constraints"])]
        yield from {f"constraint {one['type']}": None for one in constraints if one["type"] != _NOT_NULL}
