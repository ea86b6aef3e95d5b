"""Waves: the periods in which a study is asked anew, one after the other.

Belongs here: what a study file says of them, and which have begun. Which generations are of a wave is
study_file/in_wave.py.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Final, NamedTuple

from cronsim import CronSim, CronSimError
from pydantic import StrictStr, TypeAdapter, ValidationError, field_validator, model_validator

from python_assets.errors import StudyError
from python_assets.study.base import Level, Part, Unfit
from python_assets.study.control_characters import has_control
from python_assets.study.problems import listed, nearest

WAVE_OPTION: Final = "--wave"
MOST_LOOKED_FOR: Final = 1_000  # waves, before the present and after it: 83 years of months, 2.7 of days
N_COMPARED: Final = 24  # names of as many waves in a row differ
N_NAMED: Final = 3
_FIELDS_OF_CRON: Final = 5
# 28 years later days of the week and of the year are the same again: only the year tells these two apart
_A_DAY: Final = (datetime(2000, 3, 1, tzinfo=UTC), datetime(2028, 3, 1, tzinfo=UTC))


class Wave(NamedTuple):
    """A wave by its name, and when it begins, in UTC."""

    name: str
    begins_at: datetime


class Waves(Part):
    """When waves begin and what they are called.

    cron: five fields, in UTC. name: the name of a wave by the time it begins, in the codes of strftime.
    gate: hold each run against the last kept run of the wave before.
    """

    cron: StrictStr
    name: Level
    gate: bool = False

    @field_validator("cron")
    @classmethod
    def _comes_to_pass(cls, cron: str) -> str:
        expected = 'five fields of cron that come to pass, such as "0 6 1 * *", the first of each month at 6:00 UTC'
        if len(cron.split()) != _FIELDS_OF_CRON:
            raise Unfit(expected, "correct it")
        try:
            next(CronSim(cron, _A_DAY[0]))
        except (CronSimError, StopIteration) as error:
            raise Unfit(f"{expected} ({error})" if str(error) else expected, "correct it") from error
        return cron

    @field_validator("name")
    @classmethod
    def _tells_the_year(cls, name: str) -> str:
        first, later = (day.strftime(name) for day in _A_DAY)
        if first == later:
            expected = "a name with the year in it, else the answers of a year ago would be those of now"
            raise Unfit(expected, 'write for example "%Y-%m"')
        if has_control(first):
            raise Unfit("a name without control characters, which a terminal would obey", "remove them")
        return name

    @model_validator(mode="after")
    def _names_differ(self) -> "Waves":
        waves = list(islice(self.coming(_A_DAY[0]), N_COMPARED))
        for one, other in zip(waves, waves[1:], strict=False):
            if one.name == other.name:
                began = " and ".join(f"{wave.begins_at:%Y-%m-%d %H:%M}" for wave in (one, other))
                expected = f"a name of its own for every wave; those of {began} would both be {one.name!r}"
                raise Unfit(expected, "name the day or the hour, too, or let cron come less often")
        return self

    def begun(self, now: datetime) -> Iterator[Wave]:
        """The waves that have begun, the latest first, at most MOST_LOOKED_FOR.

        Args:
            now: a time in UTC; a wave that begins in this minute has begun.
        """
        return self._waves(now, is_past=True)

    def coming(self, now: datetime) -> Iterator[Wave]:
        """The waves that have not begun, the next first, at most MOST_LOOKED_FOR."""
        return self._waves(now, is_past=False)

    def latest(self, now: datetime) -> Wave:
        """The wave that began last."""
        return next(self.begun(now))

    def called(self, name: str, now: datetime) -> Wave:
        """The wave of a name.

        Raises:
            StudyError: no wave is called so, or it has not begun.
        """
        latest = list(islice(self.begun(now), N_NAMED))
        known = listed(wave.name for wave in latest)
        begun_wave = next((wave for wave in self.begun(now) if wave.name == name), None)
        if begun_wave is not None:
            return begun_wave
        if coming := next((wave for wave in self.coming(now) if wave.name == name), None):
            expected = f"a wave that has begun, such as {known}"
            raise StudyError(WAVE_OPTION, name, expected, f"wait: it begins {coming.begins_at:%Y-%m-%d %H:%M} UTC")
        near = nearest(name, [wave.name for wave in latest])
        remedy = f"did you mean {near}?" if near else "correct it"
        raise StudyError(WAVE_OPTION, name, f"a wave named as {self.name} has it, such as {known}", remedy)

    def told(self, name: str, now: datetime) -> str:
        """What a run of a wave that has begun says first."""
        began = f"Wave {name}, which began {self.called(name, now).begins_at:%Y-%m-%d %H:%M} UTC"
        if name == self.latest(now).name:
            return f"{began}; {WAVE_OPTION} NAME asks an earlier one."
        return f"{began} and was followed by others; what is asked of it now is dated now."

    def _waves(self, now: datetime, *, is_past: bool) -> Iterator[Wave]:
        ticks = CronSim(self.cron, _minute_of(now, is_past=is_past), reverse=is_past)
        for tick in islice(ticks, MOST_LOOKED_FOR):
            yield Wave(tick.strftime(self.name), tick)


def _minute_of(now: datetime, *, is_past: bool) -> datetime:
    """What CronSim starts from, which it leaves out: the next minute for what is past, else this one."""
    minute = now.replace(second=0, microsecond=0)
    if not is_past:
        return minute
    return datetime.fromtimestamp(minute.timestamp() + 60, UTC)


def wave_in_words(name: str) -> str:
    """The wave of a study that declares none of its own, whatever it is called.

    Raises:
        StudyError: it cannot be a level of a factor.
    """
    try:
        return str(TypeAdapter(Level).validate_python(name))
    except ValidationError as error:
        unfit = error.errors()[0].get("ctx", {}).get("error")
        expected = unfit.expected if isinstance(unfit, Unfit) else "a name"
        raise StudyError(WAVE_OPTION, name, expected, "correct it") from error
