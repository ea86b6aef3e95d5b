"""The floor plan: which package may import which, so that a reader of one file knows where to look next.

A file imports from floors below its own, never from its own floor or above. Imports inside functions and
under TYPE_CHECKING count: they are read from the source.
"""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
ASSETS = "python_assets"

# rooms by floor, the lowest first: a room imports only from floors below
FLOORS = (
    ("errors", "telemetry"),
    ("registry", "sandbox"),
    ("study",),
    ("warehouse",),
    ("cluster", "texts", "transform"),
    ("infer", "published", "providers", "expectations"),
    ("importers", "report", "embeddings"),
    ("scrape", "assemble", "generate", "extract"),
    ("labelling",),
    ("plan", "study_file", "gate"),
    ("audit",),
    ("dagster_project",),
    ("cli",),
    ("library",),
    ("plumbline",),
    ("bench",),
)
# the same inside infer, whose rooms are its folders and the files beside them
FLOORS_OF_INFER = (
    ("draws", "tables"),
    ("result",),
    ("design", "formulas", "options"),
    ("agreement", "hypotheses", "looks", "schemes", "subgroups", "truth"),
    ("associations", "contrasts"),
    ("changes", "regressions", "statistics"),
    ("groups",),
    ("chunk",),
    ("chunks",),
    ("run",),
)
MOST_ARROWS_IN_INFER = 90  # between two of its rooms, however many lines import
# rooms whose files fall into groups: their folders, beside which files stand that no group has
SUB_ROOMS = {
    "assemble": {"portability"},
    "extract": {"classifiers", "flags", "scorers", "judges", "labels", "similarity", "trained"},
    "providers": {"local_models", "refusal", "simulator"},
    "report": {"audits", "superset", "tables"},
    "study_file": {"checks"},
}
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
FILES_ON_TOP = {"__init__.py", "cli.py", "errors.py", "registry.py", "telemetry.py"}
PACKAGES = (ASSETS, "expectations", "dagster_project", "plumbline", "bench")
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


def faults(imports: list[Import]) -> list[str]:
    """Imports that do not go down."""
    return [
        f"{one.file}:{one.line}: {one.room} imports {one.written}"
        for one in imports
        if FLOOR_OF.get(one.imported, len(FLOORS)) >= FLOOR_OF[one.room]
    ]


def test_no_import_runs_upwards_or_along_a_floor():
    # so no stage imports another, no circle joins two rooms, and bench imports nothing of the tests
    imports = [one for file in FILES for one in imports_of((ROOT / file).read_text(encoding="utf-8"), file)]
    assert faults(imports) == []


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("python_assets/study/base.py", "import python_assets.warehouse.build"),
        ("python_assets/generate/rag.py", "def f():\n    from python_assets.extract.judges import judge"),
        ("python_assets/infer/run.py", "if TYPE_CHECKING:\n    from python_assets.published import query"),
        ("python_assets/errors.py", "from python_assets import registry"),
        ("bench/bench_gate.py", "from tests.conftest import ROOT"),
        ("expectations/rule.py", "from dagster_project.checks import checks"),
    ],
)
def test_an_import_that_does_not_go_down_is_found(file, line):
    assert len(faults(imports_of(line, Path(file)))) == 1


def arrows_in(parent: str) -> set[tuple[str, str]]:
    """The folders of a room, and the files beside them, that import each other: (importing, imported)."""
    folder = Path(ASSETS, parent)
    found = set()
    for file in (file for file in FILES if file.is_relative_to(folder) and file.name != "__init__.py"):
        room = file.relative_to(folder).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{ASSETS}.{parent}."):
                found.add((room, node.module.split(".")[2]))
    return {(room, other) for room, other in found if room != other}


def test_rooms_of_infer_import_from_floors_below_alone():
    floor_of = {room: floor for floor, rooms in enumerate(FLOORS_OF_INFER) for room in rooms}
    arrows = arrows_in("infer")
    assert {room for arrow in arrows for room in arrow} == set(floor_of)
    assert [(room, other) for room, other in arrows if floor_of[other] >= floor_of[room]] == []
    assert len(arrows) <= MOST_ARROWS_IN_INFER


@pytest.mark.parametrize("parent", SUB_ROOMS)
def test_sub_rooms_import_each_other_in_no_circle(parent):
    below: dict[str, set[str]] = {}
    for room, other in arrows_in(parent):
        below.setdefault(room, set()).add(other)
    assert circles(below) == []


def test_rooms_with_sub_rooms_are_known():
    packages = {file.parent.relative_to(ASSETS).parts for file in FILES if file.is_relative_to(ASSETS)}
    found: dict[str, set[str]] = {}
    for parent, sub_room in (parts for parts in packages if len(parts) == 2):
        found.setdefault(parent, set()).add(sub_room)
    assert found | {"infer": None} == SUB_ROOMS | {"infer": None}


def circles(below: dict[Any, set[Any]]) -> list[str]:
    """What is left of importers, each with what it imports, when those that import no importer are taken away."""
    left = dict(below)
    while leaves := [one for one, others in left.items() if not others & set(left)]:
        for one in leaves:
            del left[one]
    return sorted(map(str, left))


def test_every_room_has_a_floor_and_every_floor_its_rooms():
    rooms = {room_of(".".join(file.with_suffix("").parts)) for file in FILES}
    assert rooms - {"__init__"} == set(FLOOR_OF)


def test_six_files_stand_on_top():
    assert {file.name for file in (ROOT / ASSETS).glob("*.py")} == FILES_ON_TOP


def test_files_of_one_package_do_not_import_each_other_in_a_circle():
    assert circles({file: modules_of(file) for file in FILES}) == []


def modules_of(file: Path) -> set[Path]:
    """The files that a file imports when it is itself imported: not those inside functions."""
    found = set()
    for node in ast.parse((ROOT / file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            path = Path(*node.module.split("."))
            found |= {path.with_suffix(".py"), *((path / alias.name).with_suffix(".py") for alias in node.names)}
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


def test_every_file_of_data_is_in_the_package() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    patterns = declared["package-data"][ASSETS]
    held = [path.relative_to(ROOT / ASSETS) for path in (ROOT / ASSETS).rglob("*.*") if path.is_file()]
    data = [path for path in held if path.suffix not in (".py", ".pyc")]
    assert data
    assert [str(path) for path in data if not any(path.match(pattern) for pattern in patterns)] == []
