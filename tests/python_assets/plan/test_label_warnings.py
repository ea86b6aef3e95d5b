"""A packaged set that plain sentences show to be too weak is named before a study runs."""

from pathlib import Path

import pytest

from python_assets.plan.label_warnings import favourable_warnings, label_warnings
from python_assets.study.measures import MeasureSpec
from python_assets.study.study import Encoding
from python_assets.study_file.load import load_study

STUDY = Path(__file__).resolve().parents[3] / "studies" / "fair_sea.yml"


def test_the_reaction_of_families_needs_a_judge_and_leadership_does_not(snapshot):
    assert list(label_warnings(load_study(STUDY))) == snapshot


def test_nothing_is_known_of_another_embedding():
    study = load_study(STUDY).model_copy(update={"embedding": Encoding(model="some/model")})
    assert list(label_warnings(study)) == []


@pytest.mark.parametrize(("kind", "n"), [({}, 1), ({"kind": "binary"}, 0)])
def test_a_favourable_label_without_a_rate_is_told(kind, n):
    measure = MeasureSpec.model_validate({"name": "agrees", "choices": "yes_no", "favourable": "yes", **kind})
    lines = list(favourable_warnings(load_study(STUDY).model_copy(update={"measures": [measure]})))
    assert len(lines) == n and all(line.startswith("agrees: favourable") for line in lines)
