"""A new study file: commented, valid, and answered by the simulator until its user names a model."""

from pathlib import Path
from typing import Final

from python_assets.errors import StudyError, Told
from python_assets.study.study import ID_PATTERN, make_id

_TEMPLATE: Final = Path(__file__).with_suffix(".yml")


def new_study(name: str, folder: Path) -> Path:
    """Write a study file that can be run as it is.

    Args:
        name: becomes the study's id and the stem of the file.
        folder: where study files lie; it is made if it is not there.

    Returns:
        The path of the new file.

    Raises:
        StudyError: the name cannot be an id, the file is there already, or the folder cannot be written.
    """
    path = new_path(name, folder)
    write_new(path, _TEMPLATE.read_text(encoding="utf-8").replace("{name}", name).encode())
    return path


def new_path(name: str, folder: Path) -> Path:
    """Where a new study file is to be.

    Raises:
        StudyError: the name cannot be an id, or the file is there already.
    """
    if not ID_PATTERN.match(name):
        proposed = make_id(name)
        remedy = f"try: plumbline new {proposed}" if proposed else "choose another name"
        raise StudyError("the name", name, "lower-case letters, digits and _, a letter first", remedy)
    path = folder / f"{name}.yml"
    if path.exists():
        raise StudyError(path, Told("a file, which was left as it is"), "no file there", "choose another name")
    return path


def write_new(path: Path, content: bytes) -> None:
    """Write a file among the studies that is not there yet; the folder is made if it is not there.

    Raises:
        StudyError: it is there, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
    except OSError as error:
        remedy = "set PLUMBLINE_STUDIES to another folder"
        raise StudyError(path, Told(error.strerror), "a file that can be written", remedy) from error
