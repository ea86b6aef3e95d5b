"""The name of a study: the stem of its file."""

from collections.abc import Iterator

from python_assets.errors import StudyError
from python_assets.study.problems import listed
from python_assets.study.study import ID_PATTERN
from python_assets.study_file.expand import Draft
from python_assets.warehouse.build import SCHEMAS


def identity_problems(draft: Draft) -> Iterator[StudyError]:
    """The file is named so that its stem can be the study's id, and `study` says the same."""
    name = draft.study_id
    if not ID_PATTERN.match(name):
        expected = "a file name of lower-case letters, digits and _, a letter first"
        yield StudyError((), draft.file.name, expected, "rename the file")
    if name in SCHEMAS:  # DuckDB cannot tell the file of that name from the schema in it
        expected = f"a file name other than {listed(SCHEMAS)}, which are parts of the warehouse"
        yield StudyError((), draft.file.name, expected, "rename the file")
    if draft.parts.study is not None and draft.parts.study != name:
        yield StudyError(("study",), draft.parts.study, f"the stem of the file, {name!r}", f"write study: {name}")
