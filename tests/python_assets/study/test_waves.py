from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest

from python_assets.errors import StudyError
from python_assets.study.waves import Waves

NOW = datetime(2026, 11, 25, 23, 50, 17, 300, UTC)
MONTHS = Waves(cron="0 6 1 * *", name="%Y-%m")


def names(waves, n=3):
    return [wave.name for wave in islice(waves, n)]


def test_waves_are_named_by_when_they_begin():
    assert names(MONTHS.begun(NOW)) == ["2026-11", "2026-10", "2026-09"]
    assert names(MONTHS.coming(NOW)) == ["2026-12", "2027-01", "2027-02"]
    assert MONTHS.latest(NOW).begins_at == datetime(2026, 11, 1, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "latest"), [(-1, "2026-10"), (0, "2026-11"), (1, "2026-11"), (59, "2026-11"), (60, "2026-11")]
)
def test_a_wave_has_begun_in_the_minute_of_its_cron(seconds, latest):
    now = datetime(2026, 11, 1, 6, tzinfo=UTC) + timedelta(seconds=seconds)
    assert MONTHS.latest(now).name == latest
    assert names(MONTHS.coming(now), 1) != [latest]


def test_weeks_are_those_of_the_iso_year():
    weeks = Waves(cron="0 6 * * 1", name="%G-W%V")
    assert names(weeks.begun(datetime(2027, 1, 5, tzinfo=UTC)), 2) == ["2027-W01", "2026-W53"]


def test_a_wave_that_was_missed_is_found_by_its_name():
    assert MONTHS.called("2024-02", NOW).begins_at == datetime(2024, 2, 1, 6, tzinfo=UTC)


@pytest.mark.parametrize("name", ["2026-12", "2031-01", "2026-13", "november", "2026_10", "%Y-%m"])
def test_a_wave_that_has_not_begun_or_is_none_is_told(refused, name):
    with refused(StudyError, "--wave"):
        MONTHS.called(name, NOW)


def test_a_run_says_first_which_wave_it_is_of(snapshot):
    assert [MONTHS.told(name, NOW) for name in ("2026-11", "2026-09")] == snapshot
