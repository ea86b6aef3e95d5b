"""tests/python_assets/infer/chunks/test_processes.py - mirrors python_assets/infer/chunks/processes.py."""

import os
import signal

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.errors import StudyError, WarehouseError
from python_assets.infer.chunks import chunks as module
from python_assets.infer.chunks.chunks import Here
from python_assets.infer.chunks.processes import ProcessError, Processes, chunks_here
from python_assets.infer.run import infer_study
from python_assets.infer.tables import TABLES
from tests.heard import Heard
from tests.python_assets.infer.test_run import analysis, numbers


@pytest.fixture
def build_file(study, tmp_path):
    """A build file of three measures, of which one lacks cells, and which two generations have."""
    gaps = numbers(12, 4, seed=2, shift=2)
    gaps[:3, 1] = gaps[5, :2] = np.nan
    for system, shift in (("a", 0), ("b", 1)):
        study.add("sentiment", numbers(12, 4, shift=shift), system_id=system)
        study.add("gaps", gaps + shift * np.eye(12, 4), system_id=system)
    study.add("few", np.vstack([numbers(4, 4, seed=3), np.full((8, 4), np.nan)]))
    connection = study.ask("median", "variance").write()
    connection.execute(f"attach '{tmp_path}/made.duckdb' as made; copy from database memory to made; detach made")
    with duckdb.connect(str(tmp_path / "made.duckdb")) as connection:
        yield connection


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


def tables_of(connection):
    return {name: connection.execute(f"from inference.{name} order by all").df() for name in TABLES}


@pytest.mark.run
def test_chunks_in_processes_have_the_tables_of_the_whole(build_file, tmp_path, two_cores):
    infer_study(build_file, analysis())
    expected, heard = tables_of(build_file), Heard()
    (tmp_path / "made.chunks").mkdir()  # of a run that was killed
    (tmp_path / "made.chunks" / "made.duckdb").write_text("of yesterday")
    with chunks_here(build_file, analysis(), heard, n=3) as chunks:
        infer_study(build_file, analysis(), chunks=chunks)
    assert isinstance(chunks, Processes) and min(chunks.seconds) > 0
    assert ("inference", "chunks", 3, 3) in heard.counts
    for name, table in tables_of(build_file).items():
        pd.testing.assert_frame_equal(table, expected[name], check_exact=False, rtol=0, atol=1e-12)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


@pytest.mark.run
def test_a_mistake_of_the_study_is_told_as_in_one_process(build_file, tmp_path, two_cores):
    def mistaken(chunk, _):
        raise StudyError("measures[0]", "x", "y", "z")

    with pytest.raises(StudyError, match=r'measures\[0\]: got "x"'), chunks_here(build_file, analysis(), n=2) as chunks:
        chunks.each(mistaken)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


@pytest.mark.run
def test_a_process_that_dies_is_told_with_a_remedy(build_file, tmp_path, two_cores, refused):
    own = os.getpid()

    def dies(chunk, _):
        assert os.getpid() != own
        os.kill(os.getpid(), signal.SIGKILL)

    with refused(ProcessError, "a process that computed a part"), chunks_here(build_file, analysis(), n=2) as chunks:
        chunks.each(dies)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


@pytest.mark.run
def test_a_chunk_is_asked_about_its_own_measures_alone_and_what_it_says_is_heard(build_file, two_cores):
    def asked(chunk, tables):
        chunk._progress.say(f"of {', '.join(chunk._measures)}")
        return {name: table.measure_id.tolist() for name, table in tables.items()}

    heard = Heard()
    hypotheses = pd.DataFrame({"measure_id": ["gaps", "few", "gaps"], "n": [1, 2, 3]})
    with chunks_here(build_file, analysis(), heard, n=3) as chunks:
        assert chunks.each(asked, {"hypotheses": hypotheses}) == [
            {"hypotheses": ["gaps", "gaps"]},
            {"hypotheses": ["few"]},
        ]
        assert chunks.each(asked, {"hypotheses": hypotheses[:0]}) == []
    assert heard.said == ["of gaps", "of few"]


def test_a_small_study_one_core_and_a_file_in_memory_stay_in_this_process(build_file, monkeypatch):
    with duckdb.connect() as in_memory:
        in_memory.execute("create schema intermediate")
        in_memory.register("cells", build_file.execute("from intermediate.int_cells").df())
        in_memory.execute("create table intermediate.int_cells as from cells")
        for cores, n, connection in ((2, None, build_file), (1, 3, build_file), (2, 3, in_memory)):
            monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
            monkeypatch.setattr(Here, "_chunk", lambda *_: None)
            with chunks_here(connection, analysis(), n=n) as chunks:
                assert isinstance(chunks, Here) and len(chunks.seconds) == (n or 1)
    monkeypatch.setattr(module, "CELLS_A_CHUNK", 60)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with chunks_here(build_file, analysis()) as chunks:
        assert isinstance(chunks, Processes) and len(chunks.seconds) == 3


def test_there_are_no_more_processes_than_half_of_the_memory_holds(build_file, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    for gigabytes, expected in ((0.1, 1), (1.1, 2), (64, 3)):
        pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": int(gigabytes * 1e9) // 4096}
        monkeypatch.setattr(os, "sysconf", pages.__getitem__)
        with chunks_here(build_file, analysis(), n=3) as chunks:
            assert (chunks._n_processes, chunks._n_threads) == (expected, 64 // expected)


@pytest.mark.run
def test_a_disk_without_room_is_told_and_nothing_is_left(build_file, tmp_path, two_cores, monkeypatch, refused):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    with refused(WarehouseError, "the file"):
        chunks_here(build_file, analysis(), n=2).__enter__()
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]
