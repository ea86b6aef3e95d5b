"""tests/python_assets/infer/chunks/test_chunk_file.py - mirrors python_assets/infer/chunks/chunk_file.py."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import python_assets.infer.chunk
from python_assets.errors import WarehouseError
from python_assets.infer.chunk import Chunk
from python_assets.infer.chunks.chunk_file import CHUNK_TABLES, opened, write_chunk, write_problem
from tests.python_assets.infer.test_run import analysis, numbers

INFER = Path(python_assets.infer.chunk.__file__).parent
# what a part is computed by: the other rooms read the whole build file
ROOMS = ("changes", "contrasts", "design", "draws", "formulas", "groups", "schemes", "statistics", "truth")
OF_THE_WHOLE = ("repeated_controls.py", "wording.py")  # read the build file once all chunks are united


@pytest.fixture
def connection(study):
    study.add("sentiment", numbers(12, 4, shift=1), baseline=np.zeros((12, 4)))
    study.add("calm", numbers(12, 4, seed=2))
    built = study.ask("median").write()
    for schema, names in CHUNK_TABLES.items():
        for name in names:
            built.execute(f"create table if not exists {schema}.{name} (measure_id varchar)")
    return built


def test_the_tables_are_those_that_the_queries_of_a_chunk_name():
    paths = [path for room in ROOMS for path in (INFER / room).glob("*.py") if path.name not in OF_THE_WHOLE]
    sources = "".join(path.read_text() for path in paths)
    named = set(re.findall(r"\b(raw|intermediate)\.([a-z_]+)", sources))
    listed = {(schema, name) for schema, names in CHUNK_TABLES.items() for name in names}
    assert named == listed


def test_a_chunk_is_computed_from_its_file_as_from_the_build_file(connection, tmp_path):
    address = str(tmp_path / "chunks" / "one" / "chunk.duckdb")
    write_chunk(connection, ["sentiment"], address)
    expected = Chunk(connection, analysis(), measures=["sentiment"]).first()
    with opened(address) as of_file:
        assert of_file.execute("select distinct measure_id from intermediate.int_cells").fetchall() == [("sentiment",)]
        found = Chunk(of_file, analysis(), measures=["sentiment"]).first()
    assert found.keys() == expected.keys()
    for name, table in expected.items():
        pd.testing.assert_frame_equal(found[name], table)
    assert not list(tmp_path.rglob("*.unfinished"))


def test_no_answer_is_in_the_file(connection, tmp_path):
    address = str(tmp_path / "chunk.duckdb")
    connection.execute("alter table raw.responses alter response_text type varchar using 'a private answer'")
    write_chunk(connection, ["calm"], address)
    assert b"private" not in Path(address).read_bytes()
    with opened(address) as of_file:
        assert of_file.execute("select count(distinct response_text) from raw.responses").fetchone() == (
            connection.execute("select count(distinct response_text) from raw.responses").fetchone()
        )


def test_a_folder_that_cannot_be_written_is_told_with_the_remedy(connection, tmp_path, snapshot):
    (tmp_path / "file").write_text("")
    path = str(tmp_path / "file" / "x" / "p.duckdb")
    problems = [
        write_problem(str(tmp_path / "file" / "chunks")),
        pytest.raises(WarehouseError, write_chunk, connection, ["calm"], path).value,
    ]
    assert list(map(str, problems)) == snapshot
    assert write_problem(str(tmp_path / "new")) is None


def test_an_address_that_nothing_reads_is_told(snapshot):
    assert str(write_problem("nowhere://bucket/chunks")) == snapshot


def test_a_chunk_that_is_gone_is_told(tmp_path, refused):
    with refused(WarehouseError, "TMP/chunk.duckdb"), opened(str(tmp_path / "chunk.duckdb")):
        pass
