"""Files that are only ever added to, one line of JSON a record: freezes, looks, the chain.

Belongs here: reading lines and adding one. What a line says is for the file's own module.
"""

import json
import os
from pathlib import Path
from typing import Any, Final

from python_assets.errors import OTHER_HOME, WarehouseError
from python_assets.warehouse.build import make_folder

TIME: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


def canonical(content: dict[str, Any]) -> str:
    """One line of JSON that is the same whatever the order of keys."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def lines_of(path: Path) -> list[str]:
    """The lines of a file that is only ever added to; none where there is none.

    Raises:
        WarehouseError: the file cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    except (OSError, UnicodeDecodeError) as error:
        raise WarehouseError(path, error, "a file that can be read", "make it readable") from error


def append_line(path: Path, line: str) -> None:
    """Add a line to a file that is only ever added to, and wait until it is on disk.

    Raises:
        WarehouseError: the file cannot be written.
    """
    make_folder(path.parent)
    try:
        is_cut = path.exists() and not path.read_bytes().endswith(b"\n")
        with path.open("ab") as file:
            file.write(("\n" * is_cut + f"{line}\n").encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise WarehouseError(path, error, "a file that can be written", OTHER_HOME) from error
