import shutil
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from python_assets.embeddings.embedding import cosine, load_encoder, most_similar, name_model
from python_assets.embeddings.minilm import MODEL, MODEL_SHA256
from python_assets.errors import ExtractionError
from python_assets.study.study import Encoding, Vectors
from python_assets.texts.limits import MOST_CHARACTERS

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "cat", "dog", "bank"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence-transformers model with random weights, as save() writes it."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("models")
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder / "bert")
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=len(WORDS), **sizes)).save_pretrained(folder / "bert")
    model = SentenceTransformer(modules=[Transformer(str(folder / "bert")), Pooling(16)], device="cpu")
    model.save(str(folder / "tiny"))
    return folder / "tiny"


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


def test_a_batch_holds_texts_of_as_many_tokens_whatever_their_characters(tiny: Path, monkeypatch: pytest.MonkeyPatch):
    encoder = load_encoder(str(tiny))
    forward, read = encoder._loaded.forward, []

    def counted(features: dict[str, Any]) -> Any:
        read.append(tuple(features["input_ids"].shape))
        return forward(features)

    monkeypatch.setattr(encoder._loaded, "forward", counted)
    texts = ["cat " * n for n in range(1, 97)] + ["unknown" * 40] * 32  # of one token and 280 characters
    vectors = encoder.encode(texts)
    assert read == [(64, 32 + 2), (64, 96 + 2)]
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    assert np.abs(vectors - alone).max() < 1e-5


def test_a_model_that_looks_its_tokens_up_has_no_batches_to_fill(tiny: Path, tmp_path: Path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny).backend_tokenizer
    model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)], device="cpu")
    model.save(str(tmp_path / "static"))
    texts = ["cat dog", "cat", "bank " * 90]
    vectors = load_encoder(str(tmp_path / "static")).encode(texts)
    assert np.abs(vectors - model.encode(texts)).max() < 1e-6


@pytest.mark.parametrize("name", [None, MODEL, f"sentence-transformers/{MODEL}"])
def test_the_packaged_model_is_the_default_and_goes_by_its_own_names(name: str | None):
    found = name_model(name)
    assert (found.model, found.revision) == (MODEL, MODEL_SHA256)
    assert found.version.startswith(f"{MODEL} 53aa51172d142c89, sentence-transformers ")


def test_device_and_threads_are_set_and_are_part_of_the_version(tiny: Path):
    import torch

    usual = load_encoder(str(tiny))
    threaded = load_encoder(Encoding(model=str(tiny), threads=1))
    for encoder, n_threads in ((threaded, 1), (usual, 2)):
        vectors = encoder.encode(["A text."])
        assert torch.get_num_threads() == n_threads
        assert np.isfinite(vectors).all()
    assert threaded.version == f"{usual.version}, 1 threads"
    assert name_model(Encoding(model=str(tiny))).version == usual.version
    assert name_model(Encoding(device="cuda:1")).version.endswith(", cuda:1")


def test_a_device_that_is_not_there_is_named(tiny: Path):
    with pytest.raises(ExtractionError) as raised:
        load_encoder(Encoding(model=str(tiny), device="cuda:99"))
    assert (raised.value.field, "device cuda:99" in raised.value.got) == ("embedding.device", True)


def test_a_model_in_a_folder_embeds_and_is_known_by_the_hash_of_its_files(tiny: Path, tmp_path: Path):
    encoder = load_encoder(str(tiny))
    vectors = encoder.encode(["cat", "dog", "cat"])
    assert vectors.shape == (3, 16)
    assert np.array_equal(vectors[0], vectors[2])
    assert not np.allclose(vectors[0], vectors[1])
    assert encoder.model == "tiny"
    copied = Path(shutil.copytree(tiny, tmp_path / "tiny"))
    assert name_model(str(copied)).revision == encoder.revision
    (copied / "README.md").write_text("other")
    name_model.cache_clear()
    assert name_model(str(copied)).revision != encoder.revision


def test_a_folder_without_a_whole_model_is_named(tiny: Path, tmp_path: Path, refused):
    broken = Path(shutil.copytree(tiny, tmp_path / "broken"))
    (broken / "model.safetensors").unlink()
    with refused(ExtractionError, "embedding"):
        load_encoder(str(broken))


def test_an_absent_model_is_reported_with_the_command_that_fetches_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, refused
):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with refused(ExtractionError, "embedding"):
        load_encoder("paraphrase-no-such-model")
    with refused(ExtractionError, "embedding"):
        load_encoder("someone/some-model")
    with refused(ExtractionError, "embedding"):
        load_encoder("../models/none")


def test_a_model_that_the_hub_left_on_this_machine_is_known_by_its_commit(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "models--someone--fetched"
    shutil.copytree(tiny, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    encoder = load_encoder("someone/fetched")
    assert (encoder.model, encoder.revision) == ("someone/fetched", commit)
    assert np.array_equal(encoder.encode(["dog"]), load_encoder(str(tiny)).encode(["dog"]))


def test_static_word_vectors_are_an_encoder_too(tmp_path: Path):
    (tmp_path / "v.txt").write_text("cat 1 0\ndog 0 1\n")
    encoder = load_encoder(Vectors(vectors=str(tmp_path / "v.txt")))
    assert encoder.encode(["cat dog"]).tolist() == [[0.5, 0.5]]
    assert encoder.model == "v.txt"
    assert encoder.version.startswith("v.txt ")


def test_cosines_agree_with_scipy_and_are_nan_without_a_direction():
    draw = np.random.default_rng(1)
    a, b = draw.normal(size=(5, 8)).astype(np.float32), draw.normal(size=(3, 8))
    assert cosine(a, b) == pytest.approx(1 - cdist(a, b, "cosine"))
    assert cosine(7.0 * a, 0.1 * b) == pytest.approx(cosine(a, b), rel=1e-5)
    assert np.isnan(cosine(np.array([[0.0, 0.0], [np.nan, 1.0]]), np.array([[1.0, 0.0]]))).all()
    assert cosine(a, a).max() <= 1.0


def test_the_most_similar_come_first_and_as_many_as_asked(tmp_path: Path):
    (tmp_path / "v.txt").write_text("king 1 0\nqueen 0.9 0.1\nruler 0.9 0.1\ncar 0 1\n")
    encoder = load_encoder(Vectors(vectors=str(tmp_path / "v.txt")))
    found = most_similar(encoder, ["unheard", "car", "ruler", "queen"], "king", 4)
    assert [text for text, _ in found] == ["ruler", "queen", "car", "unheard"]
    assert found[0][1] == pytest.approx(0.9 / np.hypot(0.9, 0.1))
    assert np.isnan(found[3][1])
    assert [text for text, _ in most_similar(encoder, ["car", "queen"], "king", 1)] == ["queen"]
    assert most_similar(encoder, [], "king", 3) == []
