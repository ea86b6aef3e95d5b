"""Negative controls: edits of prompts that are there, levels of an import that are no groups, each once."""

from collections.abc import Iterator, Mapping, Sequence

from python_assets.errors import NOTHING, FieldPath, StudyError
from python_assets.study.negative_controls import END, START, ControlEdit, NegativeControls
from python_assets.study.problems import listed, unknown_name
from python_assets.study.prompts import Prompts
from python_assets.study.pronouns import SLOT
from python_assets.study.study import Templates
from python_assets.study_file.checks.factors import alike_levels, repeated
from python_assets.study_file.expand import Draft

_WHERE: FieldPath = ("negative_controls",)


def negative_control_problems(draft: Draft) -> Iterator[StudyError]:
    """The controls of a study are of its prompts, and none is a group."""
    controls, prompts = draft.controls, draft.parts.prompts
    if controls is None or prompts is None:
        return
    if controls.edits is not None and prompts.import_ is not None:
        expected = "levels of the import, for imported prompts cannot be edited"
        yield StudyError((*_WHERE, "edits"), "edits", expected, "write levels: {LEVEL: TYPE}")
        return
    if controls.levels is not None and prompts.import_ is None:
        expected = "edits, for only an import has levels that are there already"
        yield StudyError((*_WHERE, "levels"), "levels", expected, "write edits: [{name: ..., place: end, text: ...}]")
        return
    yield from _name_problems(draft, controls)
    yield from _type_problems(controls)
    if controls.edits is not None:
        yield from _branch_problems(draft, controls)
        yield from _edit_problems(controls.edits, prompts, list(draft.factors or ()))


def _path_of(controls: NegativeControls, position: int, key: str) -> FieldPath:
    """Where the name of a control stands, or its type."""
    if controls.edits is not None:
        return (*_WHERE, "edits", position, key)
    return (*_WHERE, "levels", [*controls.types][position] if isinstance(controls.levels, dict) else position)


def _name_problems(draft: Draft, controls: NegativeControls) -> Iterator[StudyError]:
    names = controls.names
    group_of = {
        level: name
        for grouping in draft.groupings
        for name in grouping
        for level in (draft.factors or {})[name].levels or ()
        if draft.factors and name in draft.factors
    }
    if controls.edits is None and isinstance(controls.levels, list):
        yield from repeated((*_WHERE, "levels"), names, "control")
        yield from alike_levels((*_WHERE, "levels"), names)
    for position, name in enumerate(names):
        path = _path_of(controls, position, "name")
        if controls.edits is not None and name in names[:position]:
            yield StudyError(path, name, "each control once", "rename one of them")
        if name in group_of:
            expected = f"a control that is no group, which the level {name!r} of {group_of[name]} is"
            yield StudyError(path, name, expected, f"rename it, or take it out of factors.{group_of[name]}.levels")


def _type_problems(controls: NegativeControls) -> Iterator[StudyError]:
    """Types tell how many different things were tried: of all controls, or of none."""
    types = [edit.type for edit in controls.edits] if controls.edits is not None else [*controls.types.values()]
    if not any(types):
        return
    for position, control_type in enumerate(types):
        if control_type is None:
            expected = f"a type, as the other controls have ({listed(dict.fromkeys(filter(None, types)))})"
            remedy = "add type: what kind of edit it is, or leave all types out"
            yield StudyError(_path_of(controls, position, "type"), NOTHING, expected, remedy)


def _branch_problems(draft: Draft, controls: NegativeControls) -> Iterator[StudyError]:
    branch, where = controls.branch, (*_WHERE, "branch")
    prompt_levels = {
        name: factor.levels or []
        for name, factor in (draft.factors or {}).items()
        if factor.type != "model" and factor.origin != "derived" and factor.has_prompts
    }
    if isinstance(branch, str):
        levels = list(dict.fromkeys(level for known in prompt_levels.values() for level in known))
        if branch not in levels:
            yield unknown_name(where, branch, "a level whose prompts are edited", levels, "correct it")
    for factor, level in branch.items() if isinstance(branch, Mapping) else ():
        if factor not in prompt_levels:
            yield unknown_name((*where, factor), factor, "a factor of the prompts", list(prompt_levels), "correct it")
        elif level not in prompt_levels[factor]:
            yield unknown_name((*where, factor), level, f"a level of {factor}", prompt_levels[factor], "correct it")


def _edit_problems(edits: Sequence[ControlEdit], prompts: Prompts, factors: Sequence[str]) -> Iterator[StudyError]:
    is_completed = _is_completed(prompts)
    seen: dict[tuple[str, str], str] = {}
    for position, edit in enumerate(edits):
        where: FieldPath = (*_WHERE, "edits", position)
        if (first := seen.setdefault((edit.place_, edit.text), edit.name)) != edit.name:
            expected = f"an edit of its own; {first!r} writes the same in the same place"
            yield StudyError((*where, "text"), edit.text, expected, "change it, or take it out")
        if edit.place_ == END and is_completed:
            expected = "another place than the end, where the model continues the prompt"
            yield StudyError((*where, "place"), edit.place_, expected, "write place: start")
        if edit.text == edit.place_ or (not edit.text and edit.slot is not None):
            expected = "a text that changes the prompt"
            yield StudyError((*where, "text"), edit.text, expected, "write another one")
        if edit.slot in factors:
            expected = f"a slot of the edit's own, for {edit.place_} is the slot of a factor"
            yield StudyError((*where, "place"), edit.place_, expected, "name the slot otherwise, such as {aside}")
        elif prompts.templates is not None:
            yield from _place_problems(where, edit, prompts.templates, factors)
        elif edit.slot is not None:
            expected = "start, end or words of the prompts, for only templates have slots"
            yield StudyError((*where, "place"), edit.place_, expected, "write place: start")


def _is_completed(prompts: Prompts) -> bool:
    if prompts.templates is not None:
        return prompts.templates.task == "completion"
    return prompts.assemble.chosen_method == "split_sentences"


def _place_problems(
    where: FieldPath, edit: ControlEdit, templates: Templates, factors: Sequence[str]
) -> Iterator[StudyError]:
    """The place of an edit is in half of the templates at least: of fewer root prompts no control is tested."""
    if edit.place_ in (START, END):
        return
    without = [text.id for text in templates.texts if not text.holds(edit.place_)]
    free = {
        slot for text in templates.texts for slot in SLOT.findall(text.text) if slot.partition(".")[0] not in factors
    }
    if edit.slot is not None and len(without) == len(templates.texts) and free:
        names, remedy = sorted(f"{{{slot}}}" for slot in free), f"write {edit.place_} into the templates"
        yield unknown_name((*where, "place"), edit.place_, "a slot of the templates for edits", names, remedy)
        return
    if 2 * len(without) > len(templates.texts):
        n, n_having = len(templates.texts), len(templates.texts) - len(without)
        expected = f"a place in at least half of the templates, which {n_having} of {n} have"
        remedy = f"write it into {listed(without)}, or take place: start"
        yield StudyError((*where, "place"), edit.place_, expected, remedy)
