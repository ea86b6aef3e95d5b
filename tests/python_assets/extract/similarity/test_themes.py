import numpy as np

from python_assets.embeddings.embedding import load_encoder
from python_assets.extract.similarity.themes import candidate_words, themes


def test_words_come_from_the_texts_first_and_then_from_a_general_list():
    texts = ["The kelpwort economy", "kelpwort and the economy, kelpwort", "an economy of blorps"]
    words = candidate_words(texts)
    assert words[:2] == ["economy", "kelpwort"]
    assert "blorps" not in words
    assert {"music", "war", "beautiful"} <= set(words)
    assert len(words) == len(set(words)) == 5_001


def test_words_that_bind_others_are_no_candidates():
    text = "the and because would their is has to of not we kelpwort"
    words = candidate_words([text, text + "!"])
    assert not set(text.split()[:-1]) & set(words)
    assert "kelpwort" in words


def test_the_order_of_the_texts_changes_nothing():
    texts = [f"word{'abcdefgh'[i % 8]}x thing{'ab'[i % 2]}y" for i in range(40)]
    assert candidate_words(texts) == candidate_words(texts[::-1])


WORDS = ["near", "twin", "further", "name", "far", "unknown"]
VECTORS = np.array([[1, 0.1, 0], [1, 0.11, 0], [0.5, 0, 1], [0, 1, 0.1], [-1, 0, 0], [np.nan] * 3])


def _theme(cluster: list[float], n: int, name: list[float] | None = None) -> list[str]:
    about = None if name is None else np.array([name])
    return themes(np.array([cluster]), about, WORDS, VECTORS, n)[0]


def test_the_nearest_words_that_differ_are_taken():
    # near and twin are alike; further is at a cosine of .45 to near
    assert _theme([1, 0, 0], 2) == ["near", "further"]
    assert _theme([1, 0, 0], 9) == ["near", "further", "name", "far"]


def test_words_like_the_name_of_the_segment_are_left_out():
    assert _theme([0, 1, 0.2], 1, name=[0, 1, 0]) == ["further"]
    assert _theme([0, 1, 0.2], 1) == ["name"]


def test_clusters_do_not_change_one_another():
    clusters = np.array([[1, 0, 0], [0, 1, 0.2]])
    together = themes(clusters, None, WORDS, VECTORS, 2)
    assert together == [_theme([1, 0, 0], 2), _theme([0, 1, 0.2], 2)]


def test_a_cluster_without_a_direction_has_no_theme():
    assert _theme([0, 0, 0], 3) == []


def test_the_packaged_model_names_the_subject_in_different_words():
    encoder = load_encoder()
    texts = ["The army attacked the fortress.", "Soldiers fought a battle."]
    words = ["soldiers", "soldier", "music", "economy", "battlefield", "tree", "fortress"]
    cluster = encoder.encode(texts).mean(axis=0, keepdims=True)
    found = themes(cluster, None, words, encoder.encode(words), 2)[0]
    assert found[0] == "soldiers"
    assert found[1] in ("battlefield", "fortress")
