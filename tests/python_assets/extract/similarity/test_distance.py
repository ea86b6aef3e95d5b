from pathlib import Path

import numpy as np
import pytest

from python_assets.embeddings.minilm import MODEL, MODEL_SHA256
from python_assets.errors import ExtractionError, StudyError
from python_assets.extract.similarity.distance import DISTANCES, baseline_distance
from python_assets.study.study import Vectors


def test_distances_agree_with_their_definitions():
    draw = np.random.default_rng(1)
    a, b = draw.normal(size=(2, 50, 384))
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    b /= np.linalg.norm(b, axis=1, keepdims=True)
    found = {name: metric(a, b) for name, metric in DISTANCES.items()}
    assert found["l1"] == pytest.approx([sum(abs(x - y)) for x, y in zip(a, b, strict=True)], rel=1e-9)
    # on vectors of length 1: |a - b|^2 = 2 (1 - cosine)
    assert found["l2"] ** 2 == pytest.approx(2 * found["cosine"], rel=1e-9)
    assert DISTANCES["cosine"](a, -a) == pytest.approx(np.full(50, 2.0))


@pytest.mark.parametrize("metric", DISTANCES)
def test_a_text_has_no_distance_from_itself_and_never_a_negative_one(metric: str):
    a = np.random.default_rng(2).normal(size=(1_000, 384))
    distances = DISTANCES[metric](a, a)
    assert distances.min() >= 0
    assert distances.max() < 1e-12


def test_a_vector_without_length_has_no_cosine_distance():
    assert np.isnan(DISTANCES["cosine"](np.zeros((1, 3)), np.ones((1, 3)))).all()


def test_a_function_beside_the_study_file_is_a_metric(tmp_path: Path):
    (tmp_path / "own.py").write_text("def largest(a, b):\n    return abs(a - b).max(axis=1)\n")
    metric = baseline_distance({"metric": "own:largest"}, tmp_path)
    assert metric.version.startswith("own:largest, file ")
    assert metric.distance(np.array([[1.0, 5.0]]), np.array([[0.0, 2.0]])).tolist() == [3.0]


@pytest.mark.parametrize("body", ["return 1.0", "return a - b", "return ['x'] * len(a)", "raise KeyError('k')"])
def test_a_function_that_gives_no_distances_is_named(tmp_path: Path, body: str, refused):
    (tmp_path / "own.py").write_text(f"def f(a, b):\n    {body}\n")
    metric = baseline_distance({"metric": "own:f"}, tmp_path)
    with refused(ExtractionError, "f"):
        metric.distance(np.ones((2, 3)), np.ones((2, 3)))


def test_an_absent_function_is_a_mistake_of_the_study(tmp_path: Path, refused):
    with refused(StudyError, "own:f"):
        baseline_distance({"metric": "own:f"}, tmp_path)


@pytest.fixture
def vectors(tmp_path: Path) -> Vectors:
    (tmp_path / "v.txt").write_text("cat 3 0\ndog 0 4\n")
    return Vectors(vectors=str(tmp_path / "v.txt"))


def test_distances_are_those_of_the_model_that_the_study_names(build, make_study, vectors):
    build.prompts(p1="dog", p2="dog", p3="xyzzy", p4=None)
    build.responses(("p1", "cat"), ("p2", "xyzzy"), ("p3", "cat"), ("p4", "cat"))
    build.extract(make_study("baseline_distance", embedding=vectors))
    rows = build.rows("baseline_distance", "prompt_id", "value", "reason")
    # |(3, 0) - (0, 4)| has no cosine: 1
    assert rows == [("p1", 1, None), ("p2", None, "no_words"), ("p3", None, "no_words"), ("p4", None, "no_baseline")]
    query = "select model, languages, length(model_revision) from raw.measures where measure_id = 'baseline_distance'"
    assert build.connection.execute(query).fetchall() == [("v.txt", "", 64)]


def test_the_packaged_model_is_for_english(build, make_study):
    build.prompts(p1=None)
    build.responses(("p1", None, "error", 0))
    build.extract(make_study("baseline_distance"))
    query = (
        "select model, model_revision, model_licence, languages from raw.measures "
        "where measure_id = 'baseline_distance'"
    )
    assert build.connection.execute(query).fetchall() == [(MODEL, MODEL_SHA256, "Apache-2.0", "en")]


def test_distances_of_the_users_own_are_measured_and_what_is_infinite_has_a_reason(
    build, make_study, vectors, tmp_path: Path
):
    (tmp_path / "own.py").write_text(
        "import numpy as np\ndef f(a, b):\n    return np.where(a[:, 0] > 0, np.inf, abs(a - b).max(axis=1))\n"
    )
    build.prompts(p1="dog", p2="cat")
    build.responses(("p1", "cat"), ("p2", "dog"))
    measure = {"name": "own", "scorer": "baseline_distance", "parameters": {"metric": "own:f"}}
    build.extract(make_study(measure, embedding=vectors))
    assert build.rows("own", "prompt_id", "value", "reason") == [("p1", None, "not_finite"), ("p2", 4, None)]
