"""Where studies and warehouses lie: the only place that reads the environment for them."""

import os
from pathlib import Path

from python_assets.errors import ANOTHER_HOME, NOTHING, StudyError, Told, WarehouseError
from python_assets.warehouse.build import Home

PROJECT = Path(__file__).resolve().parents[2]
PACKAGED = PROJECT / "studies"
BENCHMARKS = PACKAGED / "benchmarks"


def base() -> Path:
    """What folders lie in that nobody named: the checkout; of a package that was installed, where one stands."""
    return PROJECT if (PROJECT / "pyproject.toml").is_file() else Path.cwd()


def home() -> Home:
    """The warehouse: PLUMBLINE_HOME, or the folder warehouse.

    Raises:
        WarehouseError: it was made by a version whose folders had other names.
    """
    warehouse = Home(Path(os.environ.get("PLUMBLINE_HOME") or base() / "warehouse").absolute())
    if (before := warehouse.root / "freezes").is_dir():
        expected = "folder preregistrations, as it is called now, and a chain that names them so"
        raise WarehouseError(before, Told("folder freezes"), expected, ANOTHER_HOME)
    return warehouse


def studies_folder() -> Path:
    """Where study files are looked for first: PLUMBLINE_STUDIES, or the folder studies."""
    return Path(os.environ.get("PLUMBLINE_STUDIES") or base() / "studies").absolute()


def cache_folder() -> Path:
    """What all warehouses of a user share and can be made again: PLUMBLINE_CACHE, or the user's cache folder."""
    from platformdirs import user_cache_path

    named = os.environ.get("PLUMBLINE_CACHE")
    return Path(named).absolute() if named else user_cache_path("plumbline")


def study_names() -> list[str]:
    """The names of all study files, which are not read: one broken file stops nothing else."""
    return sorted(path.stem for path in studies_folder().glob("*.yml"))


def study_path(name: str) -> Path:
    """The file of a study, by its name or by its path; by name one of the package where the folder has none.

    Raises:
        StudyError: there is no such file.
    """
    if name.endswith((".yml", ".yaml")):
        path = Path(name)
    else:
        there = [folder / f"{name}.yml" for folder in (studies_folder(), PACKAGED, BENCHMARKS)]
        path = next((one for one in there if one.is_file()), there[0])
    if not path.is_file():
        known = f"a study file; those there: {', '.join(study_names()) or 'none'}"
        raise StudyError(path, NOTHING, known, f"make one with: plumbline new {Path(name).stem}")
    return path.absolute()
