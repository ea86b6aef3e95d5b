"""From a study file to a Study: read, validated part by part, written out, checked part against part.

Belongs here: the order of these steps, so that every mistake of a file is reported at once.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from python_assets.errors import PlumblineError, StudyFileError
from python_assets.providers.provider import RATES
from python_assets.study.base import REPLAY, SIMULATOR
from python_assets.study.study import AS_WRITTEN, Factor, MeasureSpec, Study, System
from python_assets.study_file.checks.files import file_problems
from python_assets.study_file.checks.part_checks import part_problems
from python_assets.study_file.described import with_description
from python_assets.study_file.expand import Draft, expand
from python_assets.study_file.in_wave import OF_NO_RUN, in_wave, require_wave
from python_assets.study_file.parts import LABEL_KEYS, PartReader, Parts
from python_assets.study_file.yaml_lines import StudyFile, read_study_file


def load_study(
    path: Path, *, check_files: bool = True, simulated: bool = False, wave: str | None = None, text: str | None = None
) -> Study:
    """Read a study file.

    Args:
        path: the file; its stem is the study's id, paths in it start from its folder.
        check_files: also look whether the texts, tables and functions that the study names are there, and
            whether the tables have the columns that it names.
        simulated: let the simulator stand in for every model; the file itself is checked as it is.
        wave: that of the generations which declare none; the one that began last where None and the study has waves.
        text: what the file would say, where there is none.

    Returns:
        The study with lists of models and roles, slices and groupings written out.

    Raises:
        StudyFileError: the file cannot be used; its text and `problems` name everything that is wrong.
        StudyError: there is no such wave, or it has not begun.
    """
    now = datetime.now(UTC)
    file = read_study_file(Path(path), text)
    reader = PartReader(file)
    sections, described = with_description(in_wave(reader.read(), wave, now), file)
    draft, name_problems = expand(file.path, sections)
    draft_problems = [*name_problems, *described, *part_problems(draft), *(file_problems(draft) if check_files else ())]
    original = [problem.at(reader.original_path(problem.where)) for problem in draft_problems]
    problems: list[PlumblineError] = []
    for step in (file.problems, *(map(reader.as_written, step) for step in (reader.problems, original))):
        # what is wrong with a value or in it is told once: the rest would only follow from it
        reported = {problem.where[:n] for problem in problems for n in range(2, len(problem.where) + 1)}
        problems += [problem for problem in step if problem.where not in reported]
    if problems:
        raise StudyFileError(file.path, [file.locate(problem) for problem in problems])
    if wave:
        require_wave(sections, wave, now)
    study = draft.study(_config_json(file, draft))
    return _simulated(study) if simulated else study


def _simulated(study: Study) -> Study:
    """The study with the simulator in the place of every model; imported responses stay what they are."""
    return study.model_copy(
        update={
            "systems": [_answered_by_simulator(one) for one in study.systems],
            "engines": {name: _answered_by_simulator(one) for name, one in study.engines.items()},
            "has_stand_in": True,
        }
    )


def _answered_by_simulator(system: System) -> System:
    if system.spec.provider in (SIMULATOR, REPLAY):
        return system
    options = system.spec.simulated or {}
    replaced: dict[str, Any] = {"options": options, "base_url": None, "api_key_env": None, "headers": {}}
    replaced |= dict.fromkeys(RATES)
    spec = system.spec.model_copy(update={"provider": SIMULATOR, **replaced})
    return system.model_copy(update={"spec": spec})


def _with_levels(factor: Factor) -> Factor:
    return factor.model_copy(update={"levels": factor.levels or factor.levels_by_rule or None})


def _measures(parts: Parts, draft: Draft) -> Iterator[MeasureSpec]:
    """As the file has them; those that an importer describes, in full."""
    for path, measure in draft.parts.measures.items():
        written = parts.measures.get(path)
        yield measure if written is None or written.method != measure.method else written


def _config_json(file: StudyFile, draft: Draft) -> str:
    """The file with every default as canonical JSON; ${NAME} stays: no place or secret lands in tables.

    What an importer says of factors, unit, measures and of removing prompts is a default, too.
    """
    sections = in_wave(PartReader(file, AS_WRITTEN).read(), draft.parts.wave or OF_NO_RUN, datetime.now(UTC))
    prompts = sections.prompts
    if prompts is not None and draft.parts.prompts is not None:
        prompts = prompts.model_copy(update={"remove_prompt": draft.parts.prompts.remove_prompt})
    written = {
        **sections._asdict(),
        "prompts": prompts,
        # keys are sorted, and the order of rules is that of their levels
        "factors": {name: _with_levels(factor) for name, factor in draft.parts.factors.items()},
        "study": draft.study_id,
        "title": sections.title or draft.study_id,
        "systems": list(sections.systems.values()),
        "unit": draft.parts.unit,
        "measures": list(_measures(sections, draft)),
        "negative_controls": draft.controls,
        "groupings": [list(grouping) for grouping in draft.groupings],
        "slices": sections.slices | ({} if sections.each is None else {"each": sections.each}),
    }
    for key in LABEL_KEYS:
        # a study without labels is the same version as before there were any
        if entries := list(written.pop(key).values()):
            written[key] = entries
    for key in ("waves", "negative_controls"):
        if written[key] is None:
            del written[key]
    # to raise a budget or correct a price makes no other version of a study
    del written["each"], written["unread"], written["wave"], written["budget"], written["prices"]
    return json.dumps(
        to_jsonable_python(written, by_alias=True, exclude_none=True),
        ensure_ascii=False,
        allow_nan=False,
        sort_keys=True,
        separators=(",", ":"),
    )
