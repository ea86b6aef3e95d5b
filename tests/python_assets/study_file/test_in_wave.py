import json
from datetime import UTC, datetime

import pytest

from python_assets.errors import StudyError
from python_assets.study_file.in_wave import OF_NO_RUN
from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import IMPORT, TEMPLATES

MONTHS = '{cron: "0 6 1 * *", name: "%Y-%m"}'
OWN = '{name: old, provider: simulator, wave: "2025-01"}'
SEVERAL = f'[{{name: "m_{{wave}}", provider: simulator}}, {OWN}, {{name: e, provider: simulator, engine: true}}]'


def waves_of(study):
    return {one.system_id: one.wave for one in (*study.systems, *study.engines.values())}


def test_a_wave_is_that_of_the_systems_that_declare_none(write_study):
    path = write_study({**TEMPLATES, "systems": SEVERAL, "waves": MONTHS})
    study = load_study(path, wave="2026-10")
    assert waves_of(study) == {"m_2026_10": "2026-10", "old": "2025-01", "e": ""}
    assert study.wave == "2026-10"


def test_a_wave_makes_the_version_that_the_file_would_have_if_it_said_so(write_study):
    unsaid = load_study(write_study(TEMPLATES), wave="2026-10")
    said = load_study(write_study({**TEMPLATES, "systems": '[{name: fair, provider: simulator, wave: "2026-10"}]'}))
    without = load_study(write_study(TEMPLATES))
    assert unsaid.config_json == said.config_json
    assert unsaid.config_sha256 != without.config_sha256
    assert "waves" not in json.loads(without.config_json)


def test_without_a_wave_it_is_the_one_that_began_last(write_study):
    study = load_study(write_study({**TEMPLATES, "waves": '{cron: "0 0 1 1 *", name: "%Y"}'}))
    assert study.wave == study.systems[0].wave == f"{datetime.now(UTC):%Y}"


def test_what_is_of_no_run_is_the_same_in_every_wave(write_study):
    path = write_study({**TEMPLATES, "systems": SEVERAL, "waves": MONTHS})
    assert waves_of(load_study(path, wave=OF_NO_RUN))["m__y__m"] == "%Y-%m"


@pytest.mark.parametrize(
    ("sections", "wave"),
    [
        ({**TEMPLATES, "waves": MONTHS}, "9999-12"),
        ({**TEMPLATES, "waves": MONTHS}, "2026_10"),
        ({**TEMPLATES, "systems": f"[{OWN}]"}, "2026-10"),
        (IMPORT, "2026-10"),
        (TEMPLATES, "a x b"),
        (TEMPLATES, " 2026"),
    ],
)
def test_a_wave_that_a_run_cannot_be_of_is_told(write_study, sections, wave):
    with pytest.raises(StudyError) as raised:
        load_study(write_study(sections), check_files=False, wave=wave)
    assert raised.value.where == ("--wave",)
