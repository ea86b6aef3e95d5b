"""What an audit is of: its models, its design, and the study of each theme; a file in the warehouse."""

import json
from pathlib import Path
from typing import Final, Literal, NamedTuple, overload

from python_assets.errors import NOTHING, WarehouseError
from python_assets.report.templates import write_page
from python_assets.warehouse.build import Home

_NAME: Final = "audit.json"


class Record(NamedTuple):
    """An audit.

    Attributes:
        name: its own, which begins the names of its studies.
        design: quick or full.
        models: PROVIDER:NAME, each.
        studies: study_id by benchmark, in the order asked.
        is_simulated: whether the simulator stands in for the models.
        files: sha256 by study_id, of each study file as the audit wrote it; one of another content was edited.
        skipped: why a benchmark was not run, by benchmark, in words.
    """

    name: str
    design: str
    models: list[str]
    studies: dict[str, str]
    is_simulated: bool
    files: dict[str, str] = {}
    skipped: dict[str, str] = {}


def folder_of(home: Home, name: str) -> Path:
    """Where an audit keeps its record, its report and its findings."""
    return home.root / "audits" / name


def write_record(home: Home, record: Record) -> None:
    """Keep what an audit is of.

    Raises:
        WarehouseError: it cannot be written.
    """
    content = json.dumps(record._asdict(), ensure_ascii=False, indent=2)
    write_page(folder_of(home, record.name) / _NAME, f"{content}\n".encode())


def names_of_audits(home: Home) -> list[str]:
    """List the audits of a warehouse.

    Args:
        home: the warehouse.
    """
    return sorted(path.parent.name for path in home.root.glob(f"audits/*/{_NAME}"))


@overload
def read_record(home: Home, name: str) -> Record: ...


@overload
def read_record(home: Home, name: str, *, or_none: Literal[True]) -> Record | None: ...


def read_record(home: Home, name: str, *, or_none: bool = False) -> Record | None:
    """What an audit is of.

    Args:
        home: the warehouse.
        name: of the audit.
        or_none: whether one that was never begun is None.

    Raises:
        WarehouseError: it was never begun, or its file is damaged.
    """
    path = folder_of(home, name) / _NAME
    if not path.is_file():
        if or_none:
            return None
        expected = f"an audit of this warehouse: {', '.join(names_of_audits(home)) or 'none'}"
        raise WarehouseError(f"audit {name}", NOTHING, expected, "begin one with: plumbline audit --model MODEL")
    try:
        return Record(**json.loads(path.read_bytes()))
    except (ValueError, TypeError) as error:
        expected, remedy = "an audit as plumbline audit writes it", "move it away, and give the command again"
        raise WarehouseError(path, error, expected, remedy) from error
