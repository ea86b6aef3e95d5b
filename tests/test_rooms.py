"""The floor plan: which package may import which, so that a reader of one file knows where to look next.

A file imports from floors below its own, never from its own floor or above. Imports inside functions and
under TYPE_CHECKING count: they are read from the source.
"""

import ast
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
ASSETS = "python_assets"

# rooms by floor, the lowest first: a room imports only from floors below
FLOORS = (
    ("errors", "telemetry"),
    ("registry",),
    ("study",),
    ("warehouse",),
    ("texts",),
    ("infer", "published", "providers", "expectations"),
    ("importers", "report", "embeddings"),
    ("scrape", "assemble", "generate", "extract"),
    ("plan", "study_file", "gate"),
    ("dagster_project",),
    ("cli",),
    ("bench",),
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
FILES_ON_TOP = {
    "__init__.py",
    "cli.py",
    "errors.py",
    "registry.py",
    "telemetry.py",
}
PACKAGES = (ASSETS, "expectations", "dagster_project", "bench")
MOST_MODULES_OF_A_LEAF = 10
MOST_ARGUMENTS_BY_POSITION = 6
LEAF = """
import sys
import python_assets.texts.decoding
print(*(name for name in sys.modules if name.startswith("python_assets")))
"""


class Import(NamedTuple):
    """A line that imports from another room; written: what it imports."""

    file: Path
    line: int
    room: str
    imported: str
    written: str


def room_of(dotted: str) -> str:
    """The room of a module: a package or file of python_assets, else the package itself."""
    package, _, rest = dotted.partition(".")
    return rest.partition(".")[0] if package == ASSETS else package


def imports_of(source: str, file: Path) -> list[Import]:
    """Every import of another room that a file holds, wherever it stands in it."""
    room = room_of(".".join(file.with_suffix("").parts))
    found = []
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.partition(".")[0] in (*PACKAGES, "tests") and (imported := room_of(name)) != room:
                found.append(Import(file, node.lineno, room, imported, name))
    return found


FILES = [file.relative_to(ROOT) for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
IMPORTS = [one for file in FILES for one in imports_of((ROOT / file).read_text(encoding="utf-8"), file)]


def faults(imports: list[Import]) -> list[str]:
    """Imports that do not go down."""
    return [
        f"{one.file}:{one.line}: {one.room} imports {one.written}"
        for one in imports
        if FLOOR_OF.get(one.imported, len(FLOORS)) >= FLOOR_OF[one.room]
    ]


def test_no_import_runs_upwards_or_along_a_floor():
    # so no stage imports another, no circle joins two rooms, and bench imports nothing of the tests
    assert faults(IMPORTS) == []


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("python_assets/study/base.py", "import python_assets.warehouse.build"),
        ("python_assets/generate/rag.py", "def f():\n    from python_assets.extract import judge"),
        ("python_assets/infer/run.py", "if TYPE_CHECKING:\n    from python_assets.published import query"),
        ("python_assets/errors.py", "from python_assets import registry"),
        ("bench/bench_gate.py", "from tests.conftest import ROOT"),
        ("expectations/rule.py", "from dagster_project.checks import checks"),
    ],
)
def test_an_import_that_does_not_go_down_is_found(file, line):
    assert len(faults(imports_of(line, Path(file)))) == 1


def test_every_room_has_a_floor_and_every_floor_its_rooms():
    rooms = {room_of(".".join(file.with_suffix("").parts)) for file in FILES}
    assert rooms - {"__init__"} == set(FLOOR_OF)


def test_six_files_stand_on_top():
    assert {file.name for file in (ROOT / ASSETS).glob("*.py")} == FILES_ON_TOP


def test_files_of_one_package_do_not_import_each_other_in_a_circle():
    below = {file: modules_of(file) for file in FILES}
    while leaves := [file for file, others in below.items() if not others & set(below)]:
        for file in leaves:
            del below[file]
    assert sorted(map(str, below)) == []


def modules_of(file: Path) -> set[Path]:
    """The files that a file imports when it is itself imported: not those inside functions."""
    found = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            path = Path(*node.module.split("."))
            found |= {
                path.with_suffix(".py"),
                *((path / alias.name).with_suffix(".py") for alias in node.names),
            }
    return found - {file}


def test_importing_a_leaf_loads_few_modules():
    done = subprocess.run([sys.executable, "-c", LEAF], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = done.stdout.split()
    assert "python_assets.texts.decoding" in loaded
    assert len(loaded) <= MOST_MODULES_OF_A_LEAF


def test_calls_of_many_arguments_name_them():
    long = [
        f"{file}:{node.lineno}: {len(node.args)} arguments by position"
        for file in FILES
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and len(node.args) > MOST_ARGUMENTS_BY_POSITION
    ]
    assert long == []
