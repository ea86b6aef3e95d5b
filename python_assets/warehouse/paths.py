"""Where studies and warehouses lie: the only place that reads the environment for them."""

import os
from pathlib import Path

from python_assets.errors import NOTHING, StudyError
from python_assets.warehouse.build import Home

PROJECT = Path(__file__).resolve().parents[2]


def home() -> Home:
    """The warehouse: PLUMBLINE_HOME, or the folder warehouse of the project."""
    return Home(Path(os.environ.get("PLUMBLINE_HOME") or PROJECT / "warehouse").absolute())


def studies_folder() -> Path:
    """Where study files are looked for: PLUMBLINE_STUDIES, or the folder studies of the project."""
    return Path(os.environ.get("PLUMBLINE_STUDIES") or PROJECT / "studies").absolute()


def study_names() -> list[str]:
    """The names of all study files, which are not read: one broken file stops nothing else."""
    return sorted(path.stem for path in studies_folder().glob("*.yml"))


def study_path(name: str) -> Path:
    """The file of a study, by its name or by its path.

    Raises:
        StudyError: there is no such file.
    """
    path = Path(name) if name.endswith((".yml", ".yaml")) else studies_folder() / f"{name}.yml"
    if not path.is_file():
        known = f"a study file; those there: {', '.join(study_names()) or 'none'}"
        raise StudyError(path, NOTHING, known, f"make one with: plumbline new {Path(name).stem}")
    return path.absolute()
