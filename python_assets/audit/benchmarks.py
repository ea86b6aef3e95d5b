"""Packaged benchmarks: studies that are ready to be asked of any model, and some for those who have their data.

Belongs here: which there are, what they ask and need, and copying one to edit.
"""

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

from python_assets.errors import AuditError, StudyError, StudyFileError, Told, shorten
from python_assets.study_file.new_study import new_path, write_new
from python_assets.texts.yaml_loader import LOADER
from python_assets.warehouse import paths

if TYPE_CHECKING:
    from python_assets.study.study import Study

STUDIES: Final = paths.PACKAGED
BENCHMARK_FOLDER: Final = paths.BENCHMARKS
BESIDE: Final = ("fair_sea",)  # as they stand among the studies
IMPORTED: Final = ("bbq", "decodingtrust_stereotype", "social_stigma_qa_design")
_HEADER: Final = ("name", "root prompts", "calls a model", "what it asks", "what it needs")
NOTHING_ELSE: Final = "a model"


class Ready(NamedTuple):
    """A packaged benchmark; n_calls: one model's, None where its data are not here. needs: besides what is here."""

    name: str
    title: str
    n_root_prompts: int | None
    n_calls: int | None
    needs: str

    def cells(self) -> tuple[object, ...]:
        """As a row of a table."""
        return self.name, self.n_root_prompts, self.n_calls, self.title, self.needs


def benchmark_names() -> list[str]:
    """The studies that an audit asks of any model, by name."""
    return sorted(path.stem for path in BENCHMARK_FOLDER.glob("*.yml"))


def asked_benchmarks(named: Sequence[str]) -> list[str]:
    """The benchmarks that are named, each once; where none is, those that an audit asks of any model.

    Args:
        named: names; blank ones are none.

    Raises:
        AuditError: there is no such benchmark.
    """
    known = [*benchmark_names(), *BESIDE, *IMPORTED]
    names = [*dict.fromkeys(name.strip() for name in named if name.strip())]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            fix = f"Did you mean '{near[0]}'?" if near else "See them with: plumbline benchmarks"
            raise AuditError("--benchmarks", f'there is no benchmark "{shorten(name)}"', remedy=fix)
    return names or benchmark_names()


def path_of(name: str) -> Path:
    """The file of a packaged benchmark.

    Raises:
        StudyError: there is none.
    """
    folder = BENCHMARK_FOLDER if (BENCHMARK_FOLDER / f"{name}.yml").is_file() else STUDIES
    if folder is BENCHMARK_FOLDER or name in (*BESIDE, *IMPORTED):
        return folder / f"{name}.yml"
    known = ", ".join([*benchmark_names(), *BESIDE, *IMPORTED])
    raise StudyError("benchmark", name, f"one of {known}", "see what each asks with: plumbline benchmarks")


def benchmarks() -> Iterator[Ready]:
    """Every packaged benchmark with its size: first those that need nothing but a model."""
    from python_assets.study_file.load import load_study

    for name in (*benchmark_names(), *BESIDE, *IMPORTED):
        try:
            study = load_study(path_of(name), simulated=True)
            n_root_prompts, n_prompts = _counted(study)
        except StudyFileError as lacking:
            variables = sorted({problem.variable for problem in lacking.problems if problem.variable})
            if not variables:
                raise
            yield Ready(name, _title(name), None, None, f"its data, in {', '.join(variables)}")
        else:
            yield Ready(name, study.title, n_root_prompts, n_prompts, NOTHING_ELSE)


def benchmark_lines() -> str:
    """The packaged benchmarks as a table for a terminal."""
    from python_assets.plan.text import aligned

    return aligned(_HEADER, [one.cells() for one in benchmarks()])


def copy_of_benchmark(name: str, source: str, folder: Path) -> Path:
    """Copy a packaged benchmark, and the files that it reads, to be edited.

    Args:
        name: becomes the study's id and the stem of the file.
        source: a packaged benchmark.
        folder: where study files lie; it is made if it is not there.

    Returns:
        The path of the copy.

    Raises:
        StudyError: there is no such study, the name cannot be an id, or a file is there already.
    """
    original, path = path_of(source), new_path(name, folder)
    text = original.read_text(encoding="utf-8")
    copy_files(original, text, folder)
    write_new(path, text.encode())
    return path


def copy_files(original: Path, text: str, folder: Path) -> list[Path]:
    """Put the files that a study names beside a copy of it.

    Args:
        original: the study file; what it names lies beside it.
        text: of the study file.
        folder: of the copy.

    Returns:
        Those that were not there.

    Raises:
        StudyError: another file of that name is there, or it cannot be written.
    """
    missing = {}
    for value in sorted(set(_texts(yaml.load(text, LOADER)))):
        source, target = original.parent / value, folder / value
        if not _is_file(source):
            continue
        if not target.exists():
            missing[target] = source.read_bytes()
        elif target.read_bytes() != source.read_bytes():
            expected = f"no other file than {source.name} of the packaged benchmarks"
            raise StudyError(target, Told("a file of another content"), expected, "move it away")
    for target, content in missing.items():
        write_new(target, content)
    return [*missing]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a text that is no path
        return False


def _texts(value: Any) -> Iterator[str]:
    """Every text that is a value of the file: what may name another file."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _texts(entry)


def _counted(study: "Study") -> tuple[int, int]:
    # an audit names benchmarks before it loads what plans studies
    from python_assets.plan.requested import IN_MEMORY, assemble_offline
    from python_assets.warehouse.build import open_build

    with open_build(IN_MEMORY) as connection:
        assemble_offline(study, connection, paths.home())
        counts = connection.execute("select count(distinct root_prompt_id), count(*) from raw.prompts").fetchone()
    return (0, 0) if counts is None else counts


def _title(name: str) -> str:
    return str(yaml.load(path_of(name).read_text(encoding="utf-8"), LOADER)["title"])
