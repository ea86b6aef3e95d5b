"""Negative controls: edits of prompts that cannot matter, beside which the groups of a study are held.

Belongs here: the key negative_controls of a study file. Making their prompts is assemble/control_prompts.py.
"""

from collections.abc import Mapping
from importlib import resources
from typing import Annotated, Any, Final

import yaml
from pydantic import Field, StrictStr, model_validator

from python_assets.study.base import FactorName, Level, Part, Unfit
from python_assets.study.problems import suggestion

PACKAGED_EDITS: Final = "packaged"
START, END = "start", "end"


def packaged_edits() -> list[dict[str, str]]:
    """Ten edits of ten types for English prompts, each a line that says nothing of a person."""
    text = resources.files(__package__).joinpath("negative_controls.yml").read_text(encoding="utf-8")
    edits: list[dict[str, str]] = yaml.safe_load(text)
    return edits


class ControlEdit(Part):
    """One edit.

    place: start or end, a line of its own before or after the text; a slot of templates, which is empty in all other
    prompts; or words of the text, which are replaced. text: what is written there.
    """

    name: Level
    type: Level | None = None
    place_: StrictStr = Field(END, alias="place", min_length=1)
    text: StrictStr

    @property
    def slot(self) -> str | None:
        """The name of the slot that is filled; None of other places."""
        is_slot = self.place_.startswith("{") and self.place_.endswith("}")
        return self.place_[1:-1] if is_slot else None


def _meant(data: object) -> str:
    """What to write instead of a value that is neither a mapping nor packaged."""
    if isinstance(data, list):
        return (
            "write edits: [{name: rain, type: weather, place: start, text: It rains.}, ...]; of an import levels: [...]"
        )
    return suggestion(
        data, [PACKAGED_EDITS], f"write {PACKAGED_EDITS}, or edits: [{{name: ..., place: start, text: ...}}]"
    )


class NegativeControls(Part):
    """Either edits of prompts that are made here, or levels of an import.

    edits: `packaged` takes those that come with Plumbline. branch: the level, or that of each factor, whose prompts are
    edited, one of each root prompt; the reference or first levels where it names none. levels: levels of a factor of
    the import, in whichever column, that are controls and no group, each with its type; a list tells no types.
    """

    branch: Level | dict[FactorName, Level] | None = None
    edits: Annotated[list[ControlEdit], Field(min_length=1)] | None = None
    levels: (
        Annotated[dict[Level, Level | None], Field(min_length=1)] | Annotated[list[Level], Field(min_length=1)] | None
    ) = None

    @model_validator(mode="before")
    @classmethod
    def _packaged_are_written_out(cls, data: Any) -> Any:
        if data == PACKAGED_EDITS:
            data = {"edits": PACKAGED_EDITS}
        if not isinstance(data, dict | cls):
            raise Unfit(f"{PACKAGED_EDITS}, edits: [...] or, of an import, levels: {{...}}", _meant(data))
        if isinstance(data, dict) and data.get("edits") == PACKAGED_EDITS:
            return {**data, "edits": packaged_edits()}
        return data

    @model_validator(mode="after")
    def _edits_or_levels(self) -> "NegativeControls":
        if (self.edits is None) == (self.levels is None):
            raise Unfit("either edits, or levels of an import", "keep one of them")
        if self.branch is not None and self.levels is not None:
            raise Unfit("no branch beside levels, whose prompts are there", "remove branch")
        return self

    @property
    def types(self) -> Mapping[str, str | None]:
        """The type of every control, by its name, in order; None where the study declares none."""
        if self.edits is not None:
            return {edit.name: edit.type for edit in self.edits}
        return self.levels if isinstance(self.levels, dict) else dict.fromkeys(self.levels or ())

    @property
    def names(self) -> list[str]:
        """The name of every control, in order."""
        return [edit.name for edit in self.edits] if self.edits is not None else [*(self.levels or ())]

    @property
    def is_packaged(self) -> bool:
        """Whether the edits are those that come with Plumbline."""
        return self.edits == [ControlEdit(**edit) for edit in packaged_edits()]

    @property
    def slots(self) -> list[str]:
        """The slots of templates that edits fill."""
        return [edit.slot for edit in self.edits or () if edit.slot is not None]

    @property
    def rows(self) -> list[tuple[str, int, str | None, str | None, str | None]]:
        """The rows of raw.negative_controls, without study_id."""
        if self.edits is None:
            return [(name, i, control_type, None, None) for i, (name, control_type) in enumerate(self.types.items())]
        return [(edit.name, i, edit.type, edit.place_, edit.text) for i, edit in enumerate(self.edits)]
