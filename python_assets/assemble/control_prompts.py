"""Negative controls as prompts: edits of one branch of every root prompt, and the levels that controls have.

Belongs here: what is written where. The edits come from the study file.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

import pandas as pd

from python_assets.assemble.prompts import AssembledPrompt, PromptTables
from python_assets.errors import SourceError
from python_assets.study.base import ID_SEPARATOR, LEVEL_SEPARATOR, NEGATIVE_CONTROL
from python_assets.study.negative_controls import END, START, ControlEdit, NegativeControls
from python_assets.study.problems import listed, suggestion
from python_assets.study.prompts import OPTION_ORDER
from python_assets.study.study import Study

_SHOWN: Final = 3  # root prompts that a note names


class ControlPrompts(NamedTuple):
    """Prompts of groups, in which the slots of edits are empty, and then the controls.

    Attributes:
        branch: the levels of the branches that were edited; None where root prompts have several.
        notes: for the user.
    """

    prompts: list[AssembledPrompt]
    branch: str | None = None
    notes: Sequence[str] = ()


def with_controls(study: Study, prompts: Sequence[AssembledPrompt]) -> ControlPrompts:
    """Add every edit of one branch of every root prompt.

    Args:
        study: with or without negative_controls.
        prompts: of groups; slots of edits are in their texts as templates have them.

    Returns:
        A root prompt without the branch has no controls, and a text without the place of an edit not that one; notes
        tell of both.

    Raises:
        SourceError: an edit is of no prompt.
    """
    if study.negative_controls is None or study.negative_controls.edits is None:
        return ControlPrompts([*prompts])
    edits, slots = study.negative_controls.edits, study.negative_controls.slots
    by_root: dict[str, list[AssembledPrompt]] = {}
    for prompt in prompts:
        by_root.setdefault(prompt.root_prompt_id, []).append(prompt)
    branches = {root: _branch(study.negative_controls, members) for root, members in by_root.items()}
    controls = {
        edit.name: [made for branch in branches.values() for one in branch if (made := _edited(one, edit, slots))]
        for edit in edits
    }
    for position, edit in enumerate(edits):
        if not controls[edit.name]:
            field = (study.path, "negative_controls", "edits", position, "place")
            got, expected = f"{edit.place_!r}, which no edited prompt has", "start, end, or words of the prompts"
            raise SourceError(field, got, expected, "correct it, or take the edit out")
    group_prompts = [_rewritten(one, lambda text: _emptied(text, slots)) for one in prompts]
    named = {_levels_that_vary(by_root[root], branch) for root, branch in branches.items() if branch}
    return ControlPrompts(
        [*group_prompts, *(control for made in controls.values() for control in made)],
        named.pop() if len(named) == 1 else None,
        [*_notes(branches, controls)],
    )


def _varying(prompts: Sequence[AssembledPrompt]) -> list[str]:
    """The factors by which prompts of a root prompt differ, but for the order of their options."""
    factors = dict.fromkeys(factor for prompt in prompts for factor in prompt.levels)
    levels_of = {factor: {prompt.levels.get(factor) for prompt in prompts} for factor in factors}
    return [factor for factor, levels in levels_of.items() if len(levels) > 1 and factor != OPTION_ORDER]


def _branch(controls: NegativeControls, prompts: Sequence[AssembledPrompt]) -> list[AssembledPrompt]:
    """The prompts of one root prompt that are edited: of one combination of levels, in every order of options."""
    varying = _varying(prompts)
    root = next(prompt for prompt in prompts if prompt.is_root)
    candidates = [prompt for prompt in prompts if _is_wanted(controls.branch, prompt, varying)]
    if not candidates:
        return []
    nearest = max(candidates, key=lambda prompt: sum(prompt.levels.get(one) == root.levels.get(one) for one in varying))
    return [one for one in candidates if all(one.levels.get(name) == nearest.levels.get(name) for name in varying)]


def _is_wanted(branch: str | Mapping[str, str] | None, prompt: AssembledPrompt, varying: Sequence[str]) -> bool:
    if branch is None or not varying:
        return True
    if isinstance(branch, str):
        return any(prompt.levels.get(factor) == branch for factor in varying)
    return all(prompt.levels.get(factor) == level for factor, level in branch.items() if factor in varying)


def _levels_that_vary(prompts: Sequence[AssembledPrompt], branch: Sequence[AssembledPrompt]) -> str:
    varying = _varying(prompts)
    return LEVEL_SEPARATOR.join(level for factor, level in branch[0].levels.items() if factor in varying)


def _edited(prompt: AssembledPrompt, edit: ControlEdit, slots: Sequence[str]) -> AssembledPrompt | None:
    """The control of a prompt; None where its texts lack the place."""
    if edit.place_ in (START, END):
        lines = [edit.text, prompt.prompt_text] if edit.place_ == START else [prompt.prompt_text, edit.text]
        edited = _rewritten(prompt._replace(prompt_text="\n".join(lines)), lambda text: _emptied(text, slots))
    else:
        edited = _rewritten(prompt, lambda text: _emptied(_with_words(text, edit), slots))
        unedited = _rewritten(prompt, lambda text: _emptied(text, slots))
        if (edited.messages, edited.prompt_text) == (unedited.messages, unedited.prompt_text):
            return None
        if edit.slot is None:  # words of the baseline are not the prompt's
            edited = edited._replace(baseline_text=unedited.baseline_text)
    return edited._replace(
        prompt_id=f"{prompt.prompt_id}{ID_SEPARATOR}{edit.name}",
        is_root=False,
        levels=prompt.levels | {NEGATIVE_CONTROL: edit.name},
        unit_factor=None,
        negative_control=edit.name,
    )


def _rewritten(prompt: AssembledPrompt, write: Callable[[str], str]) -> AssembledPrompt:
    """A prompt with its text, the messages before it and its baseline written anew."""
    messages = [one.model_copy(update={"content": write(one.content)}) for one in prompt.messages]
    baseline = None if prompt.baseline_text is None else write(prompt.baseline_text)
    return prompt._replace(prompt_text=write(prompt.prompt_text), messages=messages, baseline_text=baseline)


def _with_words(text: str, edit: ControlEdit) -> str:
    """A text with the edit in its slot, or instead of the words, which are whole ones."""
    before = r"\b" if edit.place_[0].isalnum() else ""
    after = r"\b" if edit.place_[-1].isalnum() else ""
    return re.sub(f"{before}{re.escape(edit.place_)}{after}", lambda _: edit.text, text)


def _emptied(text: str, slots: Sequence[str]) -> str:
    """A text without the slots of edits, each with one of the blanks around it where there are two."""
    for slot in slots:
        text = re.sub(rf"(?:^|(?<=\n))\{{{slot}\}} ?| ?\{{{slot}\}}", "", text)
    return text


def _notes(
    branches: Mapping[str, Sequence[AssembledPrompt]], controls: Mapping[str, Sequence[AssembledPrompt]]
) -> Iterator[str]:
    """Root prompts without the branch, and edits that not all of the others have."""
    if without := [root for root, branch in branches.items() if not branch]:
        yield (
            f"negative_controls.branch: {len(without):,} of {len(branches):,} root prompts lack it and have no "
            f"controls, first {listed(islice(without, _SHOWN))}"
        )
    edited = [root for root, branch in branches.items() if branch]
    for name, made in controls.items():
        roots = {control.root_prompt_id for control in made}
        if absent := [root for root in edited if root not in roots]:
            yield (
                f"negative_controls.edits: {len(absent):,} of {len(edited):,} root prompts lack the place of {name!r}, "
                f"first {listed(islice(absent, _SHOWN))}; a control needs half of them to be tested"
            )


def require_controls(study: Study, prompts: pd.DataFrame) -> None:
    """See that every control which an import is to have is there.

    Args:
        study: with or without negative_controls.
        prompts: rows of raw.prompts.

    Raises:
        SourceError: no row has it.
    """
    seen = set(prompts["negative_control"].dropna())
    if missing := [name for name in study.controls if name not in seen]:
        levels = study.negative_controls.levels if study.negative_controls else None
        step = levels.index(missing[0]) if isinstance(levels, list) else missing[0]
        field = (study.path, "negative_controls", "levels", step)
        got, expected = f"no prompt of {listed(missing)}", f"controls that the import has: {listed(sorted(seen))}"
        raise SourceError(field, got, expected, suggestion(missing[0], sorted(seen), "correct it, or take it out"))


def with_shared_levels(tables: PromptTables) -> PromptTables:
    """Prompts whose controls have the levels alone that all prompts of their root prompt have alike.

    Args:
        tables: of all prompts; controls have all levels of their branch, or of their rows.

    Returns:
        The same prompts; a control has its level of NEGATIVE_CONTROL, the order of its own options, and no level of a
        factor in which groups differ.
    """
    prompts, levels = tables
    control = prompts.set_index("prompt_id")["negative_control"]
    if control.isna().all():
        return tables
    root = levels["prompt_id"].map(prompts.set_index("prompt_id")["root_prompt_id"])
    is_control = levels["prompt_id"].map(control.notna())
    keys = [root, levels["factor"]]
    n_levels = levels["level"].groupby(keys).transform("nunique")
    n_of_groups = (~is_control).groupby(keys).transform("sum")
    n_prompts = root.map(prompts[prompts["negative_control"].isna()].groupby("root_prompt_id").size()).fillna(0)
    is_shared = (n_levels == 1) & (n_of_groups == n_prompts)
    is_kept = ~is_control | is_shared | levels["factor"].isin([NEGATIVE_CONTROL, OPTION_ORDER])
    return PromptTables(prompts, levels[is_kept].reset_index(drop=True))
