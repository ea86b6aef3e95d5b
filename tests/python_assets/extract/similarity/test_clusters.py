"""Texts here are made of words whose static vectors are known, so that every number can be had by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from python_assets.study.study import AnalysisSpec, Vectors

VECTORS = {
    "war": (9.0, 0.0, 1.0),
    "army": (8.0, 0.0, 1.0),
    "music": (0.0, 9.0, 1.0),
    "song": (0.0, 8.0, 1.0),
    "food": (-9.0, -9.0, 1.0),
    "bread": (-8.0, -8.0, 1.0),
    "france": (0.0, 5.0, 0.0),
    "peru": (5.0, 0.0, 0.0),
    "the": (0.1, 0.1, 0.1),
}
TWO_CLUSTERS = {"k": 2, "words": 2}


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, Any]:
    """The parts of a study that clusters read besides its measures."""
    lines = [" ".join([word, *map(str, numbers)]) for word, numbers in VECTORS.items()]
    (tmp_path / "v.txt").write_text("\n".join(lines) + "\n")
    vectors = Vectors(vectors=str(tmp_path / "v.txt"))
    return {"embedding": vectors, "domain": "countries", "analysis": AnalysisSpec(seed=7)}


def _vector(text: str) -> np.ndarray:
    return np.mean([VECTORS[word] for word in text.split()], axis=0)


@pytest.fixture
def two_countries(build):
    """Of France more of war, of Peru more of music; one text is said of both."""
    build.prompts(f1="war army", f2="music song", p1="song", p2=None)
    build.factors(*((p, "concept", "France" if p.startswith("f") else "Peru") for p in ("f1", "f2", "p1", "p2")))
    build.responses(("f1", "the war"), ("f2", "army army war"), ("p1", "the song"), ("p2", "war"), system_id="a")
    build.connection.execute("create temp table of_a as from raw.responses")
    build.responses(("f1", "music"), ("f2", "war"), ("p1", "music music"), ("p2", "song song the"), system_id="b")
    build.connection.execute("insert into raw.responses from of_a")
    return build


def _numbers(build, measure: str) -> dict[tuple[str, str], float | None]:
    return {(g, p): value for g, p, value, *_ in build.rows(measure)}


def _clusters(build, *columns: str) -> list[tuple[Any, ...]]:
    query = f"select {', '.join(columns)} from raw.clusters order by measure_id, segment, cluster_position"
    return build.connection.execute(query).fetchall()


def test_texts_of_all_systems_and_baselines_are_grouped_within_each_level(two_countries, make_study, parts):
    two_countries.extract(make_study({"clusters": TWO_CLUSTERS}, **parts))
    # France: the war, war army, army army war, war / music song, music; Peru: song, the song, music music,
    # song song the / war
    rows = _clusters(two_countries, "measure_id", "factor", "segment", "cluster_position", "n_texts")
    assert rows == [
        ("clusters", "concept", "France", 1, 4),
        ("clusters", "concept", "France", 2, 2),
        ("clusters", "concept", "Peru", 1, 4),
        ("clusters", "concept", "Peru", 2, 1),
    ]
    first, second = (_numbers(two_countries, f"clusters_{j}_member") for j in (1, 2))
    assert first == {
        ("a", "f1"): 1, ("a", "f2"): 1, ("a", "p1"): 1, ("a", "p2"): 0,
        ("b", "f1"): 0, ("b", "f2"): 1, ("b", "p1"): 1, ("b", "p2"): 1,
        ("baseline", "f1"): 1, ("baseline", "f2"): 0, ("baseline", "p1"): 1,
    }  # fmt: skip
    assert second == {key: 1 - value for key, value in first.items()}


@pytest.mark.parametrize("metric", ["l2", "l1", "cosine"])
def test_the_distance_is_that_of_the_text_from_the_mean_of_the_cluster(two_countries, make_study, parts, metric: str):
    two_countries.extract(make_study({"clusters": {**TWO_CLUSTERS, "metric": metric}}, **parts))
    texts = ["the war", "war army", "army army war", "war"]
    centre = np.mean([_vector(text) for text in texts], axis=0)

    def expected(text: str) -> float:
        a = _vector(text)
        if metric == "cosine":
            return 1 - a @ centre / np.linalg.norm(a) / np.linalg.norm(centre)
        return np.linalg.norm(a - centre, 2 if metric == "l2" else 1)

    rows = {(g, p): (x, b) for g, p, x, b, *_ in two_countries.rows("clusters_1_distance")}
    assert rows["a", "f1"] == pytest.approx((expected("the war"), expected("war army")), abs=1e-6)
    assert rows["b", "f1"] == pytest.approx((expected("music"), expected("war army")), abs=1e-6)
    assert rows["baseline", "f2"] == (pytest.approx(expected("music song"), abs=1e-6), None)
    assert rows["a", "p2"][1] is None


@pytest.mark.parametrize("way", ["average", "maximum", "weighted_average"])
def test_the_vector_of_a_cluster_is_made_as_asked(two_countries, make_study, parts, way: str):
    two_countries.extract(make_study({"clusters": {**TWO_CLUSTERS, "vector": way}}, **parts))
    vectors = np.array([_vector(text) for text in ("music song", "music")])
    name = np.array(VECTORS["france"])
    weights = vectors @ name / np.linalg.norm(vectors, axis=1) / np.linalg.norm(name)
    centre = {
        "average": vectors.mean(axis=0),
        "maximum": vectors.max(axis=0),
        "weighted_average": np.average(vectors, axis=0, weights=weights),
    }[way]
    found = _numbers(two_countries, "clusters_2_distance")
    assert found["b", "f1"] == pytest.approx(np.linalg.norm(_vector("music") - centre), abs=1e-6)


def test_themes_are_words_of_the_cluster_that_are_not_the_level_itself(two_countries, make_study, parts):
    two_countries.extract(make_study({"clusters": TWO_CLUSTERS}, **parts))
    found = dict(_clusters(two_countries, "segment || cluster_position", "theme"))
    themes = {cluster: set(words.split(", ")) for cluster, words in found.items()}
    # war and army say the same, music is too much like France, war too much like Peru
    assert len({"war", "army"} & themes["France1"]) == 1
    assert len({"music", "song"} & themes["Peru1"]) == 1
    for cluster, words in themes.items():
        assert not words & ({"music", "song"} if cluster.startswith("France") else {"war", "army"})


# a model reads 100,000 characters, so that of the last ones only the text that is nearest to the cluster is read
@pytest.mark.parametrize(
    ("texts", "by_vector"),
    [
        (["war", "army", "music music music music"], "army"),
        (["army " * 25_000, "music song", "song the", "music " * 20_000], "song"),
    ],
    ids=["long texts weigh more", "the nearest text is read first"],
)
@pytest.mark.parametrize("theme", ["vector", "concatenation"])
def test_themes_are_near_to_the_vector_or_to_the_texts_joined(build, make_study, parts, theme, texts, by_vector):
    build.prompts(**{f"p{i}": None for i, _ in enumerate(texts)})
    build.responses(*((f"p{i}", text) for i, text in enumerate(texts)))
    build.extract(make_study({"clusters": {"k": 1, "per": "all", "words": 1, "theme": theme}}, **parts))
    centre = np.mean([_vector(text) for text in texts], axis=0)
    nearest_first = sorted(texts, key=lambda text: np.linalg.norm(_vector(text) - centre))
    read = " ".join(word for word in " ".join(nearest_first)[:100_000].split() if word in VECTORS)
    words = ["war", "army", "music", "song", "food", "bread"]

    def nearest(to: np.ndarray) -> str:
        return max(words, key=lambda word: np.dot(VECTORS[word], to) / np.linalg.norm(VECTORS[word]))

    found = _clusters(build, "theme")
    assert found == [(nearest(centre if theme == "vector" else _vector(read)),)]
    assert (found == [(by_vector,)]) == (theme == "vector")


def test_one_clustering_of_all_prompts_has_one_segment(two_countries, make_study, parts):
    two_countries.extract(make_study({"clusters": {**TWO_CLUSTERS, "per": "all"}}, **parts))
    rows = _clusters(two_countries, "factor", "segment", "n_texts")
    assert [row[:2] for row in rows] == [("", "all")] * 2
    # the war, war army, army army war, war / music song, music, song, the song, music music, song song the
    assert [n for *_, n in rows] == [6, 4]


def test_responses_are_sorted_to_the_nearest_baseline_cluster(two_countries, make_study, parts):
    two_countries.extract(make_study({"cluster_and_sort": TWO_CLUSTERS}, **parts))
    rows = _clusters(two_countries, "measure_id", "segment", "n_texts")
    assert rows == [
        ("cluster_and_sort", "France", 1),
        ("cluster_and_sort", "France", 1),
        ("cluster_and_sort", "Peru", 1),
    ]
    # both of France hold one text: the first in the alphabet is 'music song'
    member = _numbers(two_countries, "cluster_and_sort_1_member")
    assert (member["baseline", "f2"], member["b", "f1"], member["a", "f1"]) == (1, 1, 0)
    distance = _numbers(two_countries, "cluster_and_sort_1_distance")
    away = np.linalg.norm(_vector("the war") - _vector("music song"))
    assert distance["a", "f1"] == pytest.approx(away, abs=1e-6)
    nearest = [_numbers(two_countries, f"cluster_and_sort_{j}_distance")["a", "f1"] for j in (1, 2)]
    assert nearest[1] < nearest[0]


def test_a_text_that_has_no_distance_from_any_cluster_is_sorted_to_none(build, make_study, parts, tmp_path):
    with (tmp_path / "v.txt").open("a") as file:
        file.write("nil 0.0 0.0 0.0\n")
    build.prompts(p1="war", p2="music")
    build.factors(("p1", "concept", "Peru"), ("p2", "concept", "Peru"))
    build.responses(("p1", "nil"), ("p2", "song"))
    build.extract(make_study({"cluster_and_sort": TWO_CLUSTERS | {"metric": "cosine"}}, **parts))
    members = [_numbers(build, f"cluster_and_sort_{j}_member") for j in (1, 2)]
    assert [member["replayed", "p1"] for member in members] == [None, None]
    assert sum(member["replayed", "p2"] for member in members) == 1


def test_a_level_with_fewer_texts_than_clusters_has_fewer_clusters(two_countries, make_study, parts):
    two_countries.extract(make_study({"cluster_and_sort": TWO_CLUSTERS}, **parts))
    rows = {
        (g, p): (value, reason)
        for g, p, value, reason in two_countries.rows(
            "cluster_and_sort_2_member", "system_id", "prompt_id", "value", "reason"
        )
    }
    assert rows["a", "p1"] == (None, "too_few_texts")
    assert rows["baseline", "p1"] == (None, "too_few_texts")
    assert rows["a", "f1"] == (1, None)


def test_what_has_no_text_no_level_or_no_known_word_has_a_reason(build, make_study, parts):
    build.prompts(p1="war", p2="music", p3="song", p4="army")
    build.factors(*((prompt, "concept", "Peru") for prompt in ("p1", "p2", "p3")))
    build.responses(("p1", None, "refused", 0), ("p2", "xyzzy"), ("p3", "song"), ("p4", "song"))
    build.extract(make_study({"clusters": TWO_CLUSTERS}, **parts))
    for value in ("member", "distance"):
        rows = build.rows(f"clusters_1_{value}", "system_id", "prompt_id", "value", "reason")
        reasons = {(g, p): reason for g, p, _, reason in rows}
        assert all((value is None) == (reason is not None) for *_, value, reason in rows)
        assert reasons["replayed", "p1"] == "response_refused"
        assert reasons["replayed", "p2"] == "no_words"
        assert reasons["replayed", "p3"] is None
        assert reasons["replayed", "p4"] == reasons["baseline", "p4"] == "no_factor_level"


def test_the_order_of_rows_and_names_of_systems_change_nothing(build, make_study, parts):
    said = [(f"p{i}", f"{list(VECTORS)[i % 6]} {list(VECTORS)[(i * i) % 9]}") for i in range(30)]
    build.prompts(**{prompt: "the" for prompt, _ in said})
    build.factors(*((prompt, "concept", "Peru") for prompt, _ in said))
    found = []
    for rows in (said, said[::-1]):
        build.responses(*rows)
        build.extract(make_study({"clusters": {"k": 3}}, **parts))
        measures = [f"clusters_{j}_{value}" for j in (1, 2, 3) for value in ("member", "distance")]
        found.append([build.rows(measure) for measure in measures] + [_clusters(build, "theme", "n_texts")])
    assert found[0] == found[1]


def test_slices_bound_the_texts_that_are_grouped(two_countries, make_study, parts):
    study = make_study(
        {"clusters": TWO_CLUSTERS, "slice": "france"}, **parts | {"slices": {"france": {"concept": ["France"]}}}
    )
    two_countries.extract(study)
    assert {segment for (segment,) in _clusters(two_countries, "segment")} == {"France"}
    assert {p for _, p in _numbers(two_countries, "clusters_1_member")} == {"f1", "f2"}


def test_the_model_seed_and_options_stand_beside_the_clusters(two_countries, make_study, parts):
    two_countries.extract(make_study({"name": "topics", "clusters": TWO_CLUSTERS}, **parts))
    columns = ("distinct measure_id", "parameters", "seed", "model")
    query = f"select {', '.join(columns)} from raw.clusters"
    parameters = "k=2;per=concept;vector=average;words=2;theme=vector;metric=l2"
    assert two_countries.connection.execute(query).fetchall() == [("topics", parameters, 7, "v.txt")]
    measures = two_countries.connection.execute(
        "select measure_id, kind, model, parameters from raw.measures where measure_id like 'topics%'"
    ).fetchall()
    assert measures == [
        ("topics_1_member", "binary", "v.txt", parameters),
        ("topics_1_distance", "continuous", "v.txt", parameters),
        ("topics_2_member", "binary", "v.txt", parameters),
        ("topics_2_distance", "continuous", "v.txt", parameters),
    ]


def test_a_study_without_any_text_has_no_clusters(build, make_study, parts):
    build.prompts(p1=None)
    build.factors(("p1", "concept", "Peru"))
    build.responses(("p1", None, "error", 0))
    build.extract(make_study({"clusters": TWO_CLUSTERS}, **parts))
    assert _clusters(build, "segment") == []
    assert build.rows("clusters_1_member", "value", "reason") == [(None, "response_error")]
