import pytest

from tests.python_assets.study_file.sections import IMPORT, TEMPLATES

MONTHS = '{cron: "0 6 1 * *", name: "%Y-%m"}'
GATED = MONTHS.replace("}", ", gate: true}")


def waves(text, **changes):
    return {**TEMPLATES, "waves": text, **changes}


CASES = {
    "a schedule without a wave": (waves('{cron: "0 6 1 * *"}'), "waves.name"),
    "names without a schedule": (waves('{name: "%Y-%m"}'), "waves.cron"),
    "no cron": (waves('{cron: monthly, name: "%Y-%m"}'), "waves.cron"),
    "a cron with seconds": (waves('{cron: "0 0 6 1 * *", name: "%Y-%m"}'), "waves.cron"),
    "a day that never comes": (waves('{cron: "0 6 30 2 *", name: "%Y-%m"}'), "waves.cron"),
    "an hour that is none": (waves('{cron: "0 25 1 * *", name: "%Y-%m"}'), "waves.cron"),
    "months of no year": (waves('{cron: "0 6 1 * *", name: "%m"}'), "waves.name"),
    "weeks of no year": (waves('{cron: "0 6 * * 1", name: "week %V"}'), "waves.name"),
    "one name for all": (waves('{cron: "0 6 1 * *", name: monthly}'), "waves.name"),
    "a name that cannot be a level": (waves('{cron: "0 6 1 * *", name: "%Y x %m"}'), "waves.name"),
    "a name of several lines": (waves('{cron: "0 6 1 * *", name: "%Y%n%m"}'), "waves.name"),
    "weekly waves named by the month": (waves('{cron: "0 6 * * 1", name: "%Y-%m"}'), "waves"),
    "a key that is none": (waves('{cron: "0 6 1 * *", name: "%Y-%m", zone: UTC}'), "waves.zone"),
    "a wave of every generation": (waves(MONTHS, systems='[{name: m, provider: simulator, wave: "2026-10"}]'), "waves"),
    "imported answers alone": ({**IMPORT, "waves": MONTHS}, "waves"),
    "looks": (waves(MONTHS, analysis="{looks: 2}"), "analysis.looks"),
    "a gate that keeps one run": (waves(GATED, keep="1", analysis="{margins: {risk_difference: 0.1}}"), "keep"),
    "a gate without a margin": (waves(GATED), "analysis.margins"),
}


@pytest.mark.parametrize(("sections", "field"), CASES.values(), ids=CASES)
def test_a_mistake_is_told_at_its_field(mistaken, sections, field):
    assert mistaken(sections) == [field]
