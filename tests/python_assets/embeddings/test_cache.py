import hashlib
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.embeddings.cache import ScoreCache
from python_assets.errors import WarehouseError

N = 20_000
HASHES = [hashlib.sha256(str(i).encode()).hexdigest() for i in range(N)]
SCORES = pd.DataFrame({"value": np.arange(N) / 7, "label": None, "label_method": None, "reason": None})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with ScoreCache(tmp_path / "new" / "study.duckdb") as cache:
        cache.write_scores("method", "1", HASHES, SCORES)
        cache.write_vectors("1", HASHES[:3], np.arange(6, dtype=np.float32).reshape(3, 2))
    return tmp_path / "new" / "study.duckdb"


def test_what_was_written_is_read_back_by_another_run(path: Path):
    with ScoreCache(path) as cache:
        read = cache.read_scores("method", "1", [HASHES[5], "unknown", HASHES[2]])
        vectors = cache.read_vectors("1", [HASHES[1], "unknown"])
    assert read["value"].to_dict() == {HASHES[5]: 5 / 7, HASHES[2]: 2 / 7}
    assert {key: list(vector) for key, vector in vectors.items()} == {HASHES[1]: [2.0, 3.0]}
    assert cache.n_rebuilt == 0


def test_another_method_or_version_knows_nothing(path: Path):
    with ScoreCache(path) as cache:
        assert cache.read_scores("method", "2", HASHES).empty
        assert cache.read_scores("other", "1", HASHES).empty
        assert cache.read_vectors("2", HASHES) == {}


@pytest.mark.parametrize("damage", ["flip", "cut", "blank", "text", "empty"])
def test_a_damaged_file_is_begun_anew_and_never_gives_a_wrong_number(path: Path, damage: str):
    content = bytearray(path.read_bytes())
    draw = np.random.default_rng(3)
    if damage == "flip":
        for position in draw.integers(len(content), size=50):
            content[position] ^= 1 << int(draw.integers(8))
    damaged = {"cut": content[: len(content) // 2], "blank": bytes(len(content)), "text": b"scores\n", "empty": b""}
    path.write_bytes(damaged.get(damage, content))
    with ScoreCache(path) as cache:
        read = cache.read_scores("method", "1", HASHES)
        assert read.empty
        assert cache.n_rebuilt == 1
        cache.write_scores("method", "1", HASHES, SCORES)
        assert len(cache.read_scores("method", "1", HASHES)) == N
    with ScoreCache(path) as cache:
        assert len(cache.read_scores("method", "1", HASHES)) == N


def test_a_block_damaged_behind_the_header_is_noticed_when_it_is_read(path: Path):
    content = bytearray(path.read_bytes())
    half = len(content) // 2
    content[half : half + 4096] = bytes(255 - byte for byte in content[half : half + 4096])
    path.write_bytes(content)
    with ScoreCache(path) as cache:
        read = cache.read_scores("method", "1", HASHES)
    assert cache.n_rebuilt == 1
    assert read.empty


@pytest.mark.parametrize("format_name", [None, "plumbline scores 0"])
def test_a_database_of_somebody_else_is_begun_anew(tmp_path: Path, format_name: str | None):
    path = tmp_path / "foreign.duckdb"
    with duckdb.connect(str(path)) as foreign:
        foreign.execute("create table scores as select 'method' as method, 1.0 as value")
        if format_name:
            foreign.execute("create table cache_format as select ? as format", [format_name])
    with ScoreCache(path) as cache:
        assert cache.read_scores("method", "1", HASHES).empty
    assert cache.n_rebuilt == 1


def test_a_cache_open_in_another_process_is_left_alone(path: Path, snapshot):
    script = (
        "import sys; from pathlib import Path; from python_assets.errors import WarehouseError\n"
        "from python_assets.embeddings.cache import ScoreCache\n"
        "try: ScoreCache(Path(sys.argv[1]))\n"
        "except WarehouseError as error: print(error); sys.exit(3)\n"
    )
    with ScoreCache(path) as cache:
        other = subprocess.run(
            [sys.executable, "-c", script, str(path)],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[3],
        )
        assert len(cache.read_scores("method", "1", HASHES)) == N
    assert other.returncode == 3, other.stderr
    assert other.stdout.rstrip().rpartition("; expected ")[2] == snapshot


@pytest.mark.parametrize("occupied", ["cache", "cache/study.duckdb"])
def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path, occupied: str, refused):
    if occupied == "cache":
        (tmp_path / occupied).write_text("a file where the folder should be")
    else:
        (tmp_path / occupied / "inside").mkdir(parents=True)
    with refused(WarehouseError, "the file"):
        ScoreCache(tmp_path / "cache" / "study.duckdb")
