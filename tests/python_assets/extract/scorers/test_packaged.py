"""The packaged figures: their columns, and that they are what comes out today."""

import math

import pandas as pd
import pytest

from bench.bench_scorers import ANSWERED, REFUSED, computed, labelled_refusals
from python_assets.extract.scorer import scorers
from python_assets.extract.scorers.figures import PHRASINGS, REAL_ANSWERS, LabelledText
from python_assets.extract.scorers.packaged import (
    COMPUTED,
    TOLD,
    Validation,
    read_validations,
    validations,
    write_validations,
)

FIGURES = ("recall", "precision", "specificity", "agreement", "kappa")
KEY = ("scorer", "label_set", "source", "language", "model_family", "topic")


def test_what_is_packaged_comes_out_again(data_folder):
    if not (data_folder / "refusals").is_dir():
        pytest.skip(f"{data_folder} has no refusals: the figures cannot be computed again")
    packaged = read_validations(COMPUTED)
    assert [one._replace(**_rounded(one)) for one in computed(data_folder)] == [
        one._replace(**_rounded(one)) for one in packaged
    ]


def _rounded(row: Validation) -> dict[str, float | None]:
    return {
        name: None if value is None else round(value, 3)
        for name, value in row._asdict().items()
        if name.startswith(FIGURES)
    }


@pytest.mark.parametrize("path", [COMPUTED, TOLD], ids=lambda path: path.stem)
def test_rows_are_told_apart_and_lie_in_their_intervals(path):
    rows = read_validations(path)
    keys = [tuple(getattr(row, name) for name in KEY) for row in rows]
    assert rows and len(set(keys)) == len(keys)
    for row in rows:
        assert row.material in (REAL_ANSWERS, PHRASINGS)
        assert all((row.version, row.source, row.licence, row.labelled_by, row.language))
        for name in FIGURES:
            value, low, high = (getattr(row, name + end) for end in ("", "_low", "_high"))
            assert value is None or -1 <= value <= 1
            assert (low is None) == (high is None)
            if low is not None:
                assert low - 1e-9 <= value <= high + 1e-9


def test_what_others_told_stands_beside_what_was_computed():
    told = {(row.label_set, row.kappa, row.recall): row for row in read_validations(TOLD)}
    leadership = [row.kappa for row in validations() if row.label_set == "fair_sea_leadership" and not row.model_family]
    assert leadership == [pytest.approx(0.70, abs=0.005), 0.48]
    assert told["", None, 0.67].n == 742 + 948
    assert all(row.recall_low is None and row.kappa_low is None for row in told.values())


def test_the_sets_and_rules_that_are_packaged_have_a_row_each():
    found = {(row.scorer, row.label_set) for row in validations() if row.material == REAL_ANSWERS}
    assert found == {
        ("refusal", ""),
        ("choices", "yes_no"),
        ("prototypes", "fair_sea_leadership"),
        ("prototypes", "fair_sea_family_reaction"),
        ("prototypes", "fair_sea_personality"),
        ("taxonomy", "fair_sea_occupations"),
        ("taxonomy", "fair_sea_industries"),
    }


def test_computed_refusals_are_of_the_rules_of_today():
    versions = {row.version for row in read_validations(COMPUTED) if row.scorer == "refusal"}
    assert versions == {scorers["refusal"].version()}, "python -m bench.bench_scorers"


def test_a_row_is_read_as_it_was_written(tmp_path):
    row = validations()[0]._replace(kappa=None, n_left_out=None, is_training=True, recall=1 / 3)
    write_validations(tmp_path / "rows.csv", [row])
    [found] = read_validations(tmp_path / "rows.csv")
    assert found == row
    assert math.isclose(found.recall, 1 / 3)


def test_contrasts_belong_to_their_topic():
    rows = pd.DataFrame(
        [(REFUSED, "gpt4", "contrast_discr"), (ANSWERED, "openrouter/quasar-alpha", "privacy_public")],
        columns=["label", "fold", "topic"],
    )
    assert labelled_refusals(rows, [False, True]) == [
        LabelledText(REFUSED, None, "gpt", "discrimination"),
        LabelledText(None, REFUSED, "", "privacy"),
    ]
