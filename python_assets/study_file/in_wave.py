"""The wave of the generations that declare none: that of a run, as if the study file said it."""

from datetime import datetime
from typing import Final

from python_assets.errors import StudyError
from python_assets.study.base import REPLAY
from python_assets.study.systems import SystemSpec
from python_assets.study.waves import WAVE_OPTION, wave_in_words
from python_assets.study_file.parts import Parts

OF_NO_RUN: Final = ""  # stands for whichever wave comes: what is read is the file, not what a run would ask


def in_wave(parts: Parts, wanted: str | None, now: datetime) -> Parts:
    """The parts of a study file with a wave for every generation that declares none.

    Args:
        parts: as they are written.
        wanted: a name; None: that of the wave which began last, where the study has waves; OF_NO_RUN: the pattern
            of the names.
        now: in UTC.
    """
    wave = wanted or _usual_wave(parts, is_of_run=wanted is None, now=now)
    if not wave or not any(map(_takes_one, parts.systems.values())):
        return parts
    systems = {
        path: spec.model_copy(update={"wave": wave}) if _takes_one(spec) else spec
        for path, spec in parts.systems.items()
    }
    return parts._replace(systems=systems, wave=wave)


def require_wave(parts: Parts, wanted: str, now: datetime) -> None:
    """See that a run can be of a wave.

    Args:
        parts: of in_wave, without mistakes.
        wanted: the name of the wave.
        now: in UTC.

    Raises:
        StudyError: there is no such wave, it has not begun, or no generation can be of it.
    """
    if parts.waves is not None:
        parts.waves.called(wanted, now)
        return
    wave_in_words(wanted)
    if not parts.wave:
        expected = "a generation that answers prompts and declares no wave of its own"
        raise StudyError(WAVE_OPTION, wanted, expected, f"run it without {WAVE_OPTION}")


def _usual_wave(parts: Parts, *, is_of_run: bool, now: datetime) -> str:
    if parts.waves is None:
        return ""
    return parts.waves.latest(now).name if is_of_run else parts.waves.name


def _takes_one(spec: SystemSpec) -> bool:
    """Not what writes for other stages, which goes on as it was, nor answers that are imported as they are."""
    return not spec.wave and not spec.engine and spec.provider != REPLAY
