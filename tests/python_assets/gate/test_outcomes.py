from typing import NamedTuple

import duckdb
import pandas as pd
import pytest

from python_assets.errors import WarehouseError
from python_assets.gate.both_runs import BothRuns
from python_assets.gate.outcomes import require_outcomes_alike
from python_assets.published.archived import MARTS, ArchivedRun


class Recorded(NamedTuple):
    """What a run recorded, an outcome a response; version None: a mart without the column; none: without outcomes."""

    outcomes: tuple[str, ...]
    version: str | None


@pytest.fixture
def check(tmp_path):
    """Compare two runs with what their comparison reads: check(then, now, read_then, read_now)."""

    def made(then: Recorded, now: Recorded, read: dict[str, tuple[str, ...]]) -> list[str]:
        runs = []
        for wave, run in (("then", then), ("now", now)):
            folder = tmp_path / wave
            (folder / MARTS).mkdir(parents=True, exist_ok=True)
            rows = responses("g", run.outcomes)
            rows = rows if run.version is None else rows.assign(outcome_version=run.version)
            rows = rows if run.outcomes else rows.drop(columns="outcome")
            duckdb.from_df(rows).write_parquet(str(folder / MARTS / "responses.parquet"))
            runs.append(ArchivedRun(wave, "2026", folder))
        published = tmp_path / "plumbline.duckdb"
        with duckdb.connect(str(published)) as connection:
            connection.register("compared", pd.concat([responses(f"g_{wave}", one) for wave, one in read.items()]))
            connection.execute("create or replace table responses as from compared")
        return require_outcomes_alike(BothRuns("months", *runs), published)

    return made


def responses(system: str, outcomes: tuple[str, ...]) -> pd.DataFrame:
    prompts = [f"p{i}" for i in range(len(outcomes))]
    return pd.DataFrame({"system_id": system, "prompt_id": prompts, "replicate": 0, "outcome": outcomes})


READ = {"then": ("refused", "answered"), "now": ("answered", "answered")}


def test_runs_that_one_version_read_need_no_word(check):
    assert check(Recorded(READ["then"], "v1"), Recorded(READ["now"], "v1"), READ) == []


def test_two_versions_that_read_alike_are_said(check):
    assert check(Recorded(READ["then"], "v1"), Recorded(READ["now"], "v2"), READ) == [
        "Refusals were read by v1 and v2: all 4 outcomes are the same by both."
    ]


@pytest.mark.parametrize("version", ["v1", None])
def test_two_versions_that_read_otherwise_are_refused(check, refused, version):
    with refused(WarehouseError, "study months"):
        check(Recorded(("answered", "answered"), version), Recorded(READ["now"], "v2"), READ)


def test_an_outcome_that_could_not_be_read_before_is_read_otherwise(check, refused):
    with refused(WarehouseError, "study months"):
        check(Recorded(("unreadable", "answered"), "v1"), Recorded(READ["now"], "v2"), READ)


def test_a_run_of_a_version_without_outcomes_is_refused(check, refused):
    with refused(WarehouseError, "study months"):
        check(Recorded((), None), Recorded(READ["now"], "v2"), READ)
