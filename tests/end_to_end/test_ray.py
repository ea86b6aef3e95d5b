"""Inference and extraction on Ray: two workers on this machine, some of which die in the middle.

Needs the extra: pip install 'plumbline[ray]'. make test-long installs it, and a local S3.
"""

import gc
import os
import shutil
import signal
import subprocess
import sys
import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from python_assets.cluster.cluster import Cluster, ClusterError
from python_assets.embeddings.cache import ScoreCache
from python_assets.embeddings.vectors import TextVectors
from python_assets.errors import StudyError
from python_assets.infer.chunks.chunk_file import file_system, write_problem
from python_assets.infer.chunks.on_ray import OnRay
from python_assets.infer.run import infer_study
from python_assets.infer.tables import TABLES
from python_assets.plan.power import design_power_rows
from python_assets.study_file.load import load_study
from tests.heard import Heard

if lacking := [name for name in ("ray", "moto", "s3fs") if find_spec(name) is None]:
    pytest.skip(f"not installed, as make test-long does it: {', '.join(lacking)}", allow_module_level=True)
SMALL = """
title: Small
prompts:
  templates:
    texts:
      - {id: "1", text: "Is a {gender} kind?"}
      - {id: "2", text: "Is a {gender} calm?"}
      - {id: "3", text: "Is a {gender} fair?"}
      - {id: "4", text: "Is a {gender} wise?"}
      - {id: "5", text: "Is a {gender} glad?"}
      - {id: "6", text: "Is a {gender} able?"}
    cross: [gender]
factors:
  gender: {levels: [Female, Male]}
systems: [{name: one, provider: simulator}]
measures: [vader]
groupings: [gender]
"""
STUDIES = Path(__file__).resolve().parents[2] / "studies"


@pytest.fixture(scope="module")
def bucket():
    """A local S3 with an empty bucket, as fsspec reaches it."""
    import botocore.session
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patched:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patched.setenv(name, "test")
        patched.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patched.setenv("AWS_DEFAULT_REGION", "us-east-1")
        botocore.session.get_session().create_client("s3").create_bucket(Bucket="chunks")
        yield "s3://chunks/of/studies"
    server.stop()


@pytest.fixture(scope="module")
def cluster(bucket):
    """A Ray of two workers that know the bucket; they are not nicer than others to the tests beside them."""
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        patched.setenv("RAY_worker_niceness", "0")
        with Cluster("local") as connected:
            yield connected
        warnings.simplefilter("ignore", ResourceWarning)  # Ray kills its servers and does not wait for them
        gc.collect()


@pytest.fixture
def built(demo, tmp_path):
    """A copy of the demo's build file, which keeps its name, for its views name its catalog."""
    path = tmp_path / "g20_demo.duckdb"
    shutil.copy(demo.home / "build" / path.name, path)
    with duckdb.connect(str(path)) as connection:
        yield connection


def tables_of(connection):
    return {name: connection.execute(f"from inference.{name} order by all").df() for name in TABLES}


def require_equal(found, expected):
    for name, table in expected.items():
        pd.testing.assert_frame_equal(found[name], table, check_exact=False, rtol=0, atol=1e-12)


def dying_once(function, marker):
    """The same, but that the first worker to be asked is killed by its pid."""

    def asked(*given):
        if not Path(marker).exists():
            Path(marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*given)

    return asked


def test_inference_of_chunks_in_a_bucket_ends_right_though_a_worker_is_killed_in_the_middle(
    cluster, built, bucket, tmp_path
):
    study, expected = load_study(STUDIES / "g20_demo.yml"), tables_of(built)
    assert write_problem(bucket) is None
    chunks = OnRay(built, study, cluster, bucket, n=2)
    files, place = file_system(bucket)
    assert len(files.glob(f"{place}/*/*/chunk.duckdb")) == 2
    each, calls = chunks.each, []

    def each_with_a_death(function, tables=None):
        calls.append(function)
        return each(dying_once(function, tmp_path / "killed") if len(calls) == 2 else function, tables)

    chunks.each = each_with_a_death
    infer_study(built, study, partial(design_power_rows, study, built), chunks=chunks)
    require_equal(tables_of(built), expected)
    assert len(calls) >= 2 and chunks.n_retries >= 1 and min(chunks.seconds) > 0
    chunks.close()
    files.invalidate_cache()
    assert not files.glob(f"{place}/*/*/chunk.duckdb")


def test_texts_are_embedded_once_each_though_a_worker_is_killed_in_the_middle(cluster, tmp_path):
    texts = [f"The {word} was put on shelf {n} of the archive." for n in range(400) for word in ("map", "book")]
    with ScoreCache(tmp_path / "here.duckdb") as cache:
        expected = TextVectors(None, cache).of(texts)

    class Dying:
        def each(self, score, portions):
            return cluster.each(dying_once(score, tmp_path / "killed"), portions)

    heard = Heard()
    with ScoreCache(tmp_path / "ray.duckdb") as cache:
        vectors = TextVectors(None, cache, heard, Dying())
        found = vectors.of(texts)
        assert vectors.n_measured == len(texts)
    assert np.abs(found - expected).max() <= 1e-6
    assert [count[2] for count in heard.counts][-1] == len(texts)
    assert cluster.n_lost >= 0 and (tmp_path / "killed").exists()
    with duckdb.connect(str(tmp_path / "ray.duckdb")) as kept:
        assert kept.execute("select count(*), count(distinct text_sha256) from embeddings").fetchone() == (800, 800)


def test_a_mistake_of_the_study_is_told_as_without_ray_and_not_tried_again(cluster, built, tmp_path):
    chunks = OnRay(built, load_study(STUDIES / "g20_demo.yml"), cluster, str(tmp_path / "chunks"), n=2)

    def mistaken(chunk, _):
        raise StudyError("measures[0]", "x", "y", "z")

    with pytest.raises(StudyError, match=r'measures\[0\]: got "x"'):
        chunks.each(mistaken)
    assert chunks.n_retries <= 0


def test_a_worker_that_always_dies_is_told(cluster, built, tmp_path):
    chunks = OnRay(built, load_study(STUDIES / "g20_demo.yml"), cluster, str(tmp_path / "chunks"), n=1)
    with pytest.raises(
        ClusterError, match="a part on Ray: got WorkerCrashedError, 5 times; expected a worker that lives"
    ):
        chunks.each(lambda chunk, _: os.kill(os.getpid(), signal.SIGKILL))


def test_a_stranger_cannot_use_the_cluster_of_a_run(cluster):
    address = cluster.connect().get_runtime_context().gcs_address
    program = f"import ray; ray.init(address={address!r}, log_to_driver=False); print('inside')"
    strange = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    told = subprocess.run([sys.executable, "-c", program], env=strange, capture_output=True, text=True, timeout=120)
    assert told.returncode != 0 and "inside" not in told.stdout
    assert "InvalidAuthToken" in told.stderr


def test_a_bucket_without_rights_is_told(bucket):
    assert "set PLUMBLINE_CHUNKS" in str(write_problem("s3://other/x"))


def test_the_command_gives_a_study_to_ray(plumbline, make_home, tmp_path):
    home = make_home()
    (tmp_path / "small.yml").write_text(SMALL, encoding="utf-8")
    found = plumbline(home, "run", str(tmp_path / "small.yml"), "--chunks", "2", "--on", "ray", RAY_worker_niceness="0")
    assert found.returncode == 0, found.stderr
    assert "inference on Ray: 2 chunks" in found.stderr
    assert not list((home / "build" / "chunks").iterdir())
    with duckdb.connect(str(home / "plumbline.duckdb"), read_only=True) as published:
        asked = published.execute("select count(distinct measure_id) >= 2 from contrasts where value is not null")
        assert asked.fetchone() == (True,)


def test_mistakes_are_told_before_anything_runs(plumbline, tmp_path):
    (tmp_path / "small.yml").write_text(SMALL, encoding="utf-8")
    for options, told in (
        (["--chunks", "99"], "--chunks: got 99; expected at most"),
        (["--on", "spark"], '--on: got "spark local"; expected ray'),
        (["--on", "ray", "127.0.0.1:9"], "--on ray 127.0.0.1:9: got "),
    ):
        found = plumbline(tmp_path, "run", str(tmp_path / "small.yml"), *options)
        assert found.returncode == 1 and told in found.stderr, found.stderr
    assert not (tmp_path / "build").exists()
