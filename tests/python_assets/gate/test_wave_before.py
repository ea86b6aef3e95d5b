from datetime import UTC, datetime

import pytest

from python_assets.gate.wave_before import run_of_wave_before
from python_assets.study.waves import Waves
from python_assets.warehouse.build import Home
from tests.python_assets.kept_runs import ANSWERS, archived

NOW = datetime(2026, 12, 24, tzinfo=UTC)
MONTHS = Waves(cron="0 6 1 * *", name="%Y-%m")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """August, October twice, November, and October once more after it; September was missed."""
    home = Home(tmp_path_factory.mktemp("kept") / "warehouse")
    runs = {"august": "08-01", "october": "10-01", "again": "10-02", "november": "11-01", "late": "11-20"}
    for run, day in runs.items():
        archived(home, run, ANSWERS, wave="2026-10" if run == "late" else f"2026-{day[:2]}", at=f"2026-{day}")
    return home


@pytest.mark.parametrize(
    ("wave", "before"), [("2026-12", "november"), ("2026-11", "late"), ("2026-10", "august"), ("2026-09", "august")]
)
def test_a_run_is_stratum_against_the_last_one_of_the_wave_before_that_is_kept(home, wave, before):
    found = run_of_wave_before(home, "months", MONTHS, wave, NOW)
    assert found is not None and found.run.run_id == before


def test_the_first_wave_is_stratum_against_none(home):
    assert run_of_wave_before(home, "months", MONTHS, "2026-08", NOW) is None


def test_runs_without_a_wave_are_of_none(tmp_path):
    home = Home(tmp_path / "warehouse")
    archived(home, "october", ANSWERS)
    assert run_of_wave_before(home, "months", MONTHS, "2026-11", NOW) is None
