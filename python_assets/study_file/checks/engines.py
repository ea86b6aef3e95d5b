"""Engines: who is named to write for a stage is a generation that does."""

from collections.abc import Iterator

from python_assets.errors import FieldPath, StudyError
from python_assets.study.problems import unknown_name
from python_assets.study.study import make_id
from python_assets.study_file.expand import Draft


def engine_problems(draft: Draft, path: FieldPath, name: str | None) -> Iterator[StudyError]:
    """The problem of a name that no engine has; none where nothing is named.

    Args:
        draft: its generations hold the engines.
        path: where the name stands.
        name: as the file writes it.
    """
    engines = [one.system_id for entry in draft.systems.values() for one in entry if one.spec.engine]
    if name is not None and make_id(name) not in engines:
        remedy = "add a generation of this name with engine: true"
        yield unknown_name(path, name, "a generation with engine: true", engines, remedy)
