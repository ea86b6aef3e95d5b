"""Classifiers whose labels are turned, or mean another thing, are refused before they measure anything."""

import pytest
import yaml

from python_assets.errors import ExtractionError, StudyFileError
from python_assets.extract.classifiers.probes import PROBES, require_probed
from python_assets.extract.measures import resolve_measures
from python_assets.extract.scorer import scorers
from python_assets.study_file.load import load_study
from tests.python_assets.extract.classifiers.tiny_models import save_classifier, save_on_hub

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PAIR = ("the bad war", "a good start")
RIGHT = {"good": ((PAIR[1],), (PAIR[0],)), "bad": ((PAIR[0],), (PAIR[1],))}
TURNED = {"good": RIGHT["bad"], "bad": RIGHT["good"]}


def mood(folder, **scores):
    return {"name": "mood", "classifier": {"model": str(folder), "scores": scores, "probe": [list(PAIR)]}}


def probe(study):
    require_probed(study, resolve_measures(study))


def test_a_model_that_orders_its_pair_measures(build, make_study, tmp_path):
    folder = save_classifier(tmp_path / "model", ("good", "bad"), says=RIGHT)
    build.prompts(p=None)
    build.responses(("p", "a good king"))
    build.extract(make_study(mood(folder, good=1, bad=-1)))
    query = "select parameters from raw.measures where measure_id = 'mood'"
    assert build.connection.execute(query).fetchall() == [("scores=good:1|bad:-1;probe=1 pair",)]


def test_turned_labels_are_refused_with_what_came_out(build, make_study, tmp_path, refused):
    folder = save_classifier(tmp_path / "model", ("good", "bad"), says=TURNED)
    build.prompts(p=None)
    build.responses(("p", "a good king"))
    with refused(ExtractionError, "classifier TMP/model, measure mood"):
        build.extract(make_study(mood(folder, good=1, bad=-1)))
    # turned on purpose
    build.extract(make_study(mood(folder, good=-1, bad=1)))


def test_one_regression_output_is_refused_and_one_of_several_labels_is_not(make_study, tmp_path, refused):
    number = save_classifier(tmp_path / "number", ("good",), says={"good": RIGHT["good"]})
    with refused(ExtractionError, "classifier TMP/number, measure mood"):
        probe(make_study(mood(number, good=1)))
    kind = "multi_label_classification"
    probe(
        make_study(
            mood(save_classifier(tmp_path / "m", ("good",), says={"good": RIGHT["good"]}, problem_type=kind), good=1)
        )
    )


def test_labels_of_inference_between_texts_are_refused_though_they_order_the_pair(make_study, tmp_path, refused):
    says = {"entailment": RIGHT["good"], "contradiction": RIGHT["bad"]}
    folder = save_classifier(tmp_path / "nli", ("entailment", "neutral", "contradiction"), says=says)
    with refused(ExtractionError, "classifier TMP/nli, measure mood"):
        probe(make_study(mood(folder, entailment=1, contradiction=-1)))


def test_a_packaged_name_is_stratum_to_its_own_pairs(make_study, tmp_path, monkeypatch, refused):
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    lows, highs = zip(*PROBES["toxicity", ""], strict=True)
    turned = {"toxic": (lows, highs), "other": (highs, lows)}
    save_on_hub(tmp_path / "hub", "unitary/toxic-bert", COMMIT, ("toxic", "other"), says=turned)
    with refused(ExtractionError, "classifier unitary/toxic-bert, measure toxicity"):
        probe(make_study("toxicity"))


def test_every_packaged_name_but_personality_has_pairs_for_each_score():
    classified = {name: scorers[name].recipes for name in scorers if scorers[name].reads == "classifier"}
    wanted = {(name, part) for name, recipes in classified.items() for part in recipes if name != "personality"}
    assert set(PROBES) == wanted


@pytest.mark.parametrize("pair", [["one"], ["a", "b", "c"], ["same", "same"], ["", "b"]])
def test_a_probe_that_is_no_pair_is_refused_when_the_file_is_read(tmp_path, pair, told):
    classifier = {"model": "nobody/nothing", "scores": {"good": 1}, "probe": [["low", "high"], pair]}
    parts = {
        "factors": {"gender": {"levels": ["Female", "Male"]}},
        "prompts": {"templates": {"texts": [{"id": "1", "text": "Is a {gender} kind?"}], "cross": ["gender"]}},
        "systems": [{"name": "one", "provider": "simulator"}],
        "measures": [{"name": "mood", "classifier": classifier}],
        "groupings": ["gender"],
    }
    (tmp_path / "mine.yml").write_text(yaml.safe_dump(parts), encoding="utf-8")
    with pytest.raises(StudyFileError) as raised:
        load_study(tmp_path / "mine.yml")
    assert told(raised.value.problems) == ["measures[0].classifier.probe[1]"]
