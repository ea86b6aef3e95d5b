"""Waves: that something is asked in them, and that nothing else of the study forbids it."""

from collections.abc import Iterator
from typing import Final

from python_assets.errors import NOTHING, StudyError, Told
from python_assets.study_file.expand import Draft

FEWEST_KEPT: Final = 2  # a run and the one that it is held against


def wave_problems(draft: Draft) -> Iterator[StudyError]:
    """Waves go with generations that declare none of their own, and not with looks."""
    sections, waves = draft.parts, draft.parts.waves
    if waves is None:
        return
    if sections.systems and not sections.wave:
        got = Told("generations that each declare a wave, are imported or are engines")
        expected = "one that is asked anew in every wave"
        yield StudyError(("waves",), got, expected, "remove wave of one, or waves")
    if sections.analysis.looks is not None:
        expected = "none beside waves: looks share the error rate of answers that add up, a wave asks all of them anew"
        yield StudyError(("analysis", "looks"), sections.analysis.looks, expected, "remove looks, or waves")
    if waves.gate and not sections.analysis.margins:
        expected = "a margin beside waves.gate: how large a change of a group must be to matter"
        remedy = "add for example {risk_difference: 0.05}, or {MEASURE: {mean_difference: 0.1}}"
        yield StudyError(("analysis", "margins"), NOTHING, expected, remedy)
    if waves.gate and sections.keep < FEWEST_KEPT:
        expected = f"at least {FEWEST_KEPT} kept runs beside waves.gate, which holds a run against an earlier one"
        yield StudyError(("keep",), sections.keep, expected, "keep more, or remove gate")
