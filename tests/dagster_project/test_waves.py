"""The sensor of waves, looked at as its daemon does; time is what the test says."""

from datetime import UTC, datetime

import dagster as dg
import pytest

from dagster_project import waves as sensor_of_waves
from dagster_project.assets.common import CONFIRM_TAG
from dagster_project.definitions import definitions
from dagster_project.resources import WAVE_TAG, StudyResource
from dagster_project.waves import waves

STUDY = """
prompts: {templates: {texts: [{id: "1", text: "Is a {who} kind?"}], cross: [who]}}
factors: {who: {levels: [king, queen]}}
systems: [{name: one, provider: simulator}]
"""
MONTHS = 'waves: {cron: "0 6 1 * *", name: "%Y-%m"}\n'
OCTOBER, NOVEMBER, DECEMBER = (datetime(2026, month, 15, tzinfo=UTC) for month in (10, 11, 12))


class Clock(datetime):
    """The present, as a test sets it."""

    present = OCTOBER

    @classmethod
    def now(cls, tz=None):
        """What was set."""
        return cls.present


@pytest.fixture
def looked(tmp_path, monkeypatch):
    """Let the sensor look at a time; the studies and waves that it asks to run. Started: switched on just before."""
    monkeypatch.setenv("PLUMBLINE_STUDIES", str(tmp_path))
    monkeypatch.setattr(sensor_of_waves, "datetime", Clock)
    (tmp_path / "months.yml").write_text(STUDY + MONTHS, encoding="utf-8")
    (tmp_path / "once.yml").write_text(STUDY, encoding="utf-8")
    with dg.DagsterInstance.ephemeral() as instance:

        def look(at, *, started=False):
            Clock.present = at
            context = dg.build_sensor_context(
                instance=instance, cursor=look.cursor, last_sensor_start_time=2.0 if started else 0.0
            )
            context._last_tick_completion_time = 1.0  # which build_sensor_context takes no argument for
            found = waves(context)
            look.cursor, look.requests = found.cursor, found.run_requests or []
            return [(one.partition_key, one.tags[WAVE_TAG]) for one in look.requests]

        look.cursor, look.instance = None, instance
        yield look


def test_a_wave_is_asked_once_as_it_begins_and_not_what_began_before_it_was_switched_on(looked):
    assert looked(OCTOBER, started=True) == []
    assert looked(OCTOBER) == []
    assert looked(NOVEMBER) == [("months", "2026-11")]
    (request,) = looked.requests
    assert (request.run_key, CONFIRM_TAG in request.tags) == ("months 2026-11", True)
    assert looked(NOVEMBER) == []


def test_waves_that_began_while_it_was_switched_off_are_not_asked(looked):
    looked(OCTOBER, started=True)
    assert looked(NOVEMBER, started=True) == []
    assert looked(DECEMBER) == [("months", "2026-12")]


def test_of_waves_that_began_while_nothing_ran_the_last_is_asked(looked):
    looked(OCTOBER, started=True)
    assert looked(DECEMBER) == [("months", "2026-12")]


@pytest.mark.parametrize(
    ("status", "asked"), [(dg.DagsterRunStatus.SUCCESS, []), (dg.DagsterRunStatus.FAILURE, [("months", "2026-11")])]
)
def test_a_wave_that_somebody_ran_is_not_run_again(looked, status, asked):
    looked(OCTOBER, started=True)
    tags = {"dagster/partition": "months", WAVE_TAG: "2026-11"}
    looked.instance.add_run(dg.DagsterRun(job_name="run_study", tags=tags, status=status))
    assert looked(NOVEMBER) == asked


def test_a_study_written_since_waits_for_its_first_wave_and_a_broken_file_for_its_mending(looked, tmp_path):
    looked(OCTOBER, started=True)
    (tmp_path / "later.yml").write_text(STUDY + MONTHS, encoding="utf-8")
    (tmp_path / "months.yml").write_text("title: [", encoding="utf-8")
    assert looked(OCTOBER) == []
    assert looked(NOVEMBER) == [("later", "2026-11")]
    (tmp_path / "months.yml").write_text(f"title: Mended\n{STUDY}{MONTHS}", encoding="utf-8")
    assert looked(NOVEMBER) == [("months", "2026-11")]


def test_it_is_off_until_it_is_switched_on():
    assert definitions().resolve_sensor_def("waves").default_status == dg.DefaultSensorStatus.STOPPED


@dg.asset(partitions_def=dg.StaticPartitionsDefinition(["months"]))
def wave_twice(context: dg.AssetExecutionContext, study: StudyResource):
    """Two stages of a run, between which another wave begins."""
    first = study.load(context).wave
    Loaded.present = DECEMBER
    return dg.MaterializeResult(metadata={"first": first, "second": study.load(context).wave})


class Loaded(Clock):
    """The present of what reads study files."""


@pytest.mark.parametrize(("tags", "wave"), [({}, "2026-11"), ({WAVE_TAG: "2026-10"}, "2026-10")])
def test_a_run_is_of_its_tag_or_of_the_wave_that_had_begun_and_stays_in_it(looked, monkeypatch, tags, wave):
    monkeypatch.setattr("python_assets.study_file.load.datetime", Loaded)
    Loaded.present = NOVEMBER
    with dg.DagsterInstance.ephemeral() as instance:
        done = dg.materialize(
            [wave_twice], partition_key="months", instance=instance, tags=tags, resources={"study": StudyResource()}
        )
    (made,) = done.get_asset_materialization_events()
    found = made.materialization.metadata
    assert (found["first"].value, found["second"].value) == (wave, wave)
