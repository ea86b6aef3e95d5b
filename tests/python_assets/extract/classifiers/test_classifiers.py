from pathlib import Path

import numpy as np
import pytest

from python_assets.errors import ExtractionError, StudyFileError
from python_assets.extract.classifiers import classifiers
from python_assets.extract.classifiers.classifiers import ModelAbsentError, find_classifier
from python_assets.extract.classifiers.probes import PROBES
from python_assets.extract.classifiers.study_classifiers import require_classifiers
from python_assets.extract.measures import resolve_measures
from python_assets.study.measures import Computing
from tests.python_assets.extract.classifiers.tiny_models import BROKEN, Says, save_classifier, save_on_hub

COMMIT = "0123456789abcdef0123456789abcdef01234567"
SENTIMENT = "lxyuan/distilbert-base-multilingual-cased-sentiments-student"
MOODS = ("positive", "neutral", "negative")
TEXTS = ["a good start", "the bad war", "king rules alone the war", "a", "unknown words only here"]


@pytest.fixture(autouse=True)
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which models of the hub are looked for; it is empty."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_classifier(tmp_path / "model", MOODS)


def softmax_by_hand(folder: Path, text: str) -> np.ndarray:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt", truncation=True, max_length=12)
    with torch.no_grad():
        logits = model(**tokens).logits[0].numpy().astype(float)
    return np.exp(logits) / np.exp(logits).sum()


def custom(folder: Path, **scores: float) -> dict:
    return {"name": "mood", "classifier": {"model": str(folder), "scores": scores}}


def right(name: str, high: str, low: str | None = None, part: str = "") -> Says:
    """What a model must say of the packaged pairs of a measure: label high of the second texts, low of the first."""
    lows, highs = zip(*PROBES[name, part], strict=True)
    return {high: (highs, lows)} | ({low: (lows, highs)} if low else {})


def values(build, measure_id: str, column: str = "value") -> list:
    return [value for (value,) in build.rows(measure_id, column)]


def test_probabilities_are_those_of_the_model(folder: Path):
    found = find_classifier(str(folder)).method(MOODS).score(TEXTS)
    by_hand = np.stack([softmax_by_hand(folder, text) for text in TEXTS])
    np.testing.assert_allclose(found, by_hand, atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-6)


def test_a_score_does_not_depend_on_the_texts_beside_it(folder: Path):
    score = find_classifier(str(folder)).method(["positive"]).score
    together = score(TEXTS * 20)[: len(TEXTS)]
    np.testing.assert_allclose(together, [score([text])[0] for text in TEXTS], atol=1e-6)
    np.testing.assert_allclose(score(TEXTS[::-1])[::-1], together, atol=1e-6)


def test_a_text_is_read_as_far_as_the_model_reads(folder: Path):
    score = find_classifier(str(folder)).method(MOODS).score
    beginning = "good war " * 6
    assert score([beginning + "bad " * 5_000]) == pytest.approx(score([beginning]), abs=1e-6)


def test_a_roberta_reads_two_positions_less_than_its_table_has():
    from transformers import RobertaConfig

    class Tokenizer:
        model_max_length = 10**30

    classifiers._bound(Tokenizer, RobertaConfig(max_position_embeddings=514, pad_token_id=1))
    assert Tokenizer.model_max_length == 512


def test_labels_that_do_not_exclude_one_another_have_their_own_probability(tmp_path: Path):
    folder = save_classifier(tmp_path / "m", ("toxic", "insult"), problem_type="multi_label_classification")
    found = find_classifier(str(folder)).method(["toxic", "insult"]).score(TEXTS)
    softmax = np.stack([softmax_by_hand(folder, text) for text in TEXTS])
    # softmax(a, b) is the logistic of the difference of the logits
    logits = np.log(found / (1 - found))
    difference = np.log(softmax[:, 0] / softmax[:, 1])
    np.testing.assert_allclose(logits[:, 0] - logits[:, 1], difference, atol=1e-4)


def test_sentiment_and_regard_are_differences_on_their_scales(build, make_study, hub: Path):
    save_on_hub(hub, SENTIMENT, COMMIT, MOODS, says=right("sentiment", "positive", "negative"))
    regards = ("negative", "other", "neutral", "positive")
    save_on_hub(hub, "sasha/regardv3", COMMIT, regards, seed=1, says=right("regard", "positive", "negative"))
    build.prompts(p="the bad war")
    build.responses(("p", "a good start"))
    counts = build.extract(make_study("sentiment", "regard"))
    assert counts.n_measured == 4
    folder = hub / f"models--{SENTIMENT.replace('/', '--')}" / "snapshots" / COMMIT
    positive, _, negative = softmax_by_hand(folder, "a good start")
    assert values(build, "sentiment")[1] == pytest.approx((positive - negative + 1) / 2, abs=1e-6)
    base = softmax_by_hand(folder, "the bad war")
    assert values(build, "sentiment", "baseline_value")[1] == pytest.approx((base[0] - base[2] + 1) / 2, abs=1e-6)
    folder = hub / "models--sasha--regardv3" / "snapshots" / COMMIT
    negative, *_, positive = softmax_by_hand(folder, "a good start")
    assert values(build, "regard")[1] == pytest.approx(positive - negative, abs=1e-6)
    query = "select measure_id, scale_low, scorer, model, model_revision from raw.measures limit 2"
    assert build.connection.execute(query).fetchall() == [
        ("sentiment", 0.0, "sentiment", SENTIMENT, COMMIT),
        ("regard", -1.0, "regard", "sasha/regardv3", COMMIT),
    ]


def test_several_scores_are_read_from_each_text_once(build, make_study, hub: Path):
    kinds = ("gender", "religion", "profession", "race")
    labels = [f"{way}stereotype_{kind}" for kind in kinds for way in ("", "anti-")]
    name = "holistic-ai/stereotype-deberta-v3-base-tasksource-nli"
    says = {f"stereotype_{kind}": sides for kind in kinds for sides in right("stereotype", kind, part=kind).values()}
    save_on_hub(hub, name, COMMIT, ["unrelated", *labels], says=says)
    build.prompts(p=None, q=None)
    build.responses(("p", "a good start"), ("q", "the bad war"))
    counts = build.extract(make_study("stereotype"))
    assert (counts.n_measures, counts.n_measured) == (4 + 3, 2)
    folder = hub / f"models--{name.replace('/', '--')}" / "snapshots" / COMMIT
    expected = softmax_by_hand(folder, "the bad war")[1::2]
    found = [values(build, f"stereotype_{kind}")[1] for kind in kinds]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    again = build.extract(make_study("stereotype"))
    assert (again.n_measured, again.n_cached) == (0, 2)
    assert [values(build, f"stereotype_{kind}")[1] for kind in kinds] == found


def test_a_text_that_the_model_fails_on_has_a_reason_and_no_score(build, make_study, folder: Path):
    build.prompts(p=None, q=None)
    build.responses(("p", f"a {BROKEN} start"), ("q", "a good start"))
    study = make_study(custom(folder, positive=1.0))
    build.extract(study)
    assert build.rows("mood", "reason") == [("classifier_failed",), (None,)]
    assert values(build, "mood") == [None, pytest.approx(softmax_by_hand(folder, "a good start")[0], abs=1e-6)]
    assert build.extract(study).n_measured == 1


def test_a_text_in_another_language_is_not_classified(build, make_study, folder: Path):
    german = (
        "Der König regiert das Land allein, und niemand darf ihm dabei widersprechen, auch wenn er sich irrt "
        "und alle es längst gemerkt haben, die tagein und tagaus um ihn herum stehen."
    )
    build.prompts(p=german)
    build.responses(("p", "the king rules alone and nobody may contradict him in anything"))
    counts = build.extract(make_study({**custom(folder, positive=1.0), "languages": ["en"]}))
    assert build.rows("mood", "system_id", "reason") == [("baseline", "other_language"), ("replayed", None)]
    assert values(build, "mood", "baseline_value") == [None, None]
    assert counts.n_measured == 1


def test_the_weights_of_a_folder_are_its_revision(build, make_study, tmp_path: Path, folder: Path):
    build.prompts(p=None)
    build.responses(("p", "a good start"))
    study = make_study(custom(folder, positive=2.0, negative=-1.0))
    build.extract(study)
    query = "select model, model_revision, scale_low, scale_high, parameters from raw.measures limit 1"
    [(model, revision, low, high, parameters)] = build.connection.execute(query).fetchall()
    written = "scores=positive:2|negative:-1;probe=not probed"
    assert (model, low, high, parameters) == (str(folder), -1.0, 2.0, written)
    assert len(revision) == 64
    assert f", model {revision[:16]}" in values(build, "mood", "scorer_version")[0]
    before = values(build, "mood")
    save_classifier(folder, MOODS, seed=5)
    classifiers._loaded.cache_clear()
    assert build.extract(study).n_measured == 1
    assert values(build, "mood") != before


def test_an_absent_model_is_told_with_the_command_that_fetches_it(build, make_study, refused):
    build.prompts(p=None)
    build.responses(("p", "a good start"))
    with refused(ModelAbsentError, "classifier"):
        build.extract(make_study("sentiment"))
    pinned = {"name": "toxicity", "parameters": {"revision": COMMIT}}
    with refused(ModelAbsentError, "classifier"):
        build.extract(make_study(pinned))


def test_a_revision_that_is_not_on_disk_is_absent(hub: Path, refused):
    save_on_hub(hub, SENTIMENT, COMMIT, MOODS)
    assert find_classifier(SENTIMENT, COMMIT).revision == find_classifier(SENTIMENT).revision == COMMIT
    with refused(ModelAbsentError, "classifier"):
        find_classifier(SENTIMENT, "f" * 40)


def test_the_other_model_of_toxicity_is_a_parameter(build, make_study, hub: Path):
    other = "JungleLee/bert-toxic-comment-classification"
    save_on_hub(hub, other, COMMIT, ("non-toxic", "toxic"), says=right("toxicity", "toxic", "non-toxic"))
    build.prompts(p=None)
    build.responses(("p", "a good start"))
    build.extract(make_study({"name": "toxicity", "parameters": {"model": other}}))
    assert 0 < values(build, "toxicity")[0] < 1


def test_a_label_that_the_model_does_not_have_is_told(folder: Path, refused):
    with refused(ExtractionError, "classifier TMP/model"):
        find_classifier(str(folder)).method(["happy"])


@pytest.mark.parametrize(
    ("name", "kind", "place"),
    [("config.json", ExtractionError, "classifier TMP/model"), ("model.safetensors", ModelAbsentError, "classifier")],
)
def test_a_folder_that_is_not_whole_is_told(folder: Path, name: str, kind, place: str, refused):
    (folder / name).unlink()
    with refused(kind, place):
        find_classifier(str(folder)).method(["positive"]).score(["a"])


def test_scores_are_simulated_only_where_every_model_is(build, make_study, hub: Path):
    build.prompts(p="the bad war")
    build.responses(("p", "a good start"))
    study = make_study("personality", "regard", has_stand_in=True)
    build.extract(study)
    columns = "distinct scorer, model, model_revision, model_licence"
    query = f"select {columns} from raw.measures where model is not null order by 1"
    assert build.connection.execute(query).fetchall() == [
        ("simulated personality", "simulated", None, None),
        ("simulated regard", "simulated", None, None),
    ]
    assert set(build.rows("regard", "scorer_version")) == {("simulated classifier 2",)}
    traits = ("extraversion", "neuroticism", "agreeableness", "conscientiousness", "openness")
    shares = [values(build, f"personality_{trait}")[1] for trait in traits]
    assert min(shares) > 0
    assert sum(shares) < 1
    assert -1 <= values(build, "regard")[0] <= 1
    before = values(build, "regard")
    build.extract(study)
    assert values(build, "regard") == before
    says = right("regard", "positive", "negative")
    save_on_hub(hub, "sasha/regardv3", COMMIT, ("negative", "positive"), says=says)
    build.extract(study)
    assert build.connection.execute(query).fetchall()[0] == ("regard", "sasha/regardv3", COMMIT, "CC-BY-4.0")


def test_labels_that_change_their_names_are_another_revision(build, make_study, folder: Path):
    build.prompts(p=None)
    build.responses(("p", "a good start"))
    study = make_study(custom(folder, positive=1.0))
    build.extract(study)
    [before] = values(build, "mood")
    config = folder / "config.json"
    text = config.read_text(encoding="utf-8")
    swapped = text.replace('"positive"', '"x"').replace('"negative"', '"positive"').replace('"x"', '"negative"')
    config.write_text(swapped, encoding="utf-8")
    build.extract(study)
    assert values(build, "mood") == [pytest.approx(softmax_by_hand(folder, "a good start")[2], abs=1e-6)]
    assert values(build, "mood") != [before]


def test_a_model_without_its_trained_head_is_refused(tmp_path: Path, refused):
    import json

    from transformers import BertConfig, BertForMaskedLM

    folder = save_classifier(tmp_path / "model", MOODS)
    config = json.loads((folder / "config.json").read_text())
    BertForMaskedLM(BertConfig(**config)).save_pretrained(folder)
    with refused(ExtractionError, "classifier TMP/model"):
        find_classifier(str(folder))
    # a folder whose configuration says what its weights are not
    (folder / "config.json").write_text(json.dumps(config))
    with refused(ExtractionError, "classifier TMP/model"):
        find_classifier(str(folder)).method(["positive"]).score(["a"])


def test_weights_of_another_shape_are_refused(tmp_path: Path, refused):
    import json

    folder = save_classifier(tmp_path / "model", MOODS)
    config = json.loads((folder / "config.json").read_text())
    labels = {"id2label": {"0": "positive", "1": "negative"}, "label2id": {"positive": 0, "negative": 1}}
    (folder / "config.json").write_text(json.dumps(config | labels))
    with refused(ExtractionError, "classifier TMP/model"):
        find_classifier(str(folder)).method(["positive"]).score(["a"])


def test_the_numbers_of_a_classifier_are_part_of_its_version_and_the_batch_is_not(folder: Path):
    plain = find_classifier(str(folder)).method(["positive"])
    small = find_classifier(str(folder), computing=Computing(batch_size=1, device="cpu")).method(["positive"])
    half = find_classifier(str(folder), computing=Computing(dtype="bfloat16")).method(["positive"])
    assert plain.version == small.version
    assert half.version == f"{plain.version}, bfloat16"
    np.testing.assert_allclose(small.score(TEXTS), plain.score(TEXTS), atol=1e-6)
    np.testing.assert_allclose(half.score(TEXTS), plain.score(TEXTS), atol=0.05)
    assert not np.array_equal(half.score(TEXTS), plain.score(TEXTS))


def test_a_device_that_is_not_there_is_told_before_anything_is_asked(make_study, folder: Path):
    measure = {"name": "mood", "classifier": {"model": str(folder), "scores": {"positive": 1}, "device": "cuda:99"}}
    with pytest.raises(StudyFileError) as raised:
        require_classifiers(make_study(measure))
    (problem,) = raised.value.problems
    assert problem.got.startswith("'cuda:99'")


def test_where_a_classifier_runs_is_said_in_parameters_or_beside_its_scores(make_study):
    computing = {"device": "cpu", "batch_size": 8, "dtype": "float16"}
    own = {"name": "own", "classifier": {"model": "m", "scores": {"a": 1}, **computing}}
    built_in = {"name": "sentiment", "parameters": computing}
    measures = make_study(own, built_in).measures
    assert [spec.computing for spec in measures] == [Computing(**computing)] * 2
    written = resolve_measures(make_study(built_in))[0].parameters
    assert written == f"model={SENTIMENT};device=cpu;batch_size=8;dtype=float16"
