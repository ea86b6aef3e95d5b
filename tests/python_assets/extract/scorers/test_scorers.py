"""Rows of raw.scorers: what reads each measure, and what is known of it."""

import pandas as pd
import pytest

from python_assets.extract.scorers.packaged import validations

REFUSALS = [one for one in validations() if one.scorer == "refusal"]


@pytest.fixture
def scorers(build):
    """The rows of the build file, by measure."""

    def read() -> dict[str, pd.DataFrame]:
        table = build.connection.execute("select * from raw.scorers").df()
        return dict(iter(table.groupby("measure_id")))

    return read


def extracted(build, study, imported=None):
    build.prompts(p=None)
    build.responses(("p", "Yes, of course."))
    build.extract(study, imported)


def test_every_measure_has_a_row_and_those_without_figures_say_why(build, make_study, scorers):
    own = {"name": "own", "choices": ["yes", "no"]}
    extracted(build, make_study("vader", own, {"name": "answer", "choices": "yes_no"}))
    found = scorers()
    measures = build.connection.execute("select measure_id from raw.measures").fetchall()
    assert set(found) == {measure for (measure,) in measures}
    reasons = {name: rows.reason.tolist() for name, rows in found.items() if name not in ("refusal", "answer")}
    assert reasons == {
        "vader": ["not_validated"],
        "own": ["not_validated"],
        "own_unscored": ["nothing_read"],
        "own_undecided": ["nothing_read"],
        "answer_unscored": ["nothing_read"],
        "answer_undecided": ["nothing_read"],
        "empty": ["nothing_read"],
        "truncated": ["nothing_read"],
    }
    assert found["own"].n.isna().all() and (found["own"].source == "").all()
    answer = found["answer"]
    assert set(answer.label_set) == {"yes_no"}
    assert set(answer.material) == {"real answers", "phrasings of our own"}
    assert answer.is_current.all()


def test_figures_of_another_version_are_told_as_such(build, make_study, scorers, monkeypatch):
    older = [one._replace(version="refusal_en_1") if one.n is None else one for one in REFUSALS]
    monkeypatch.setattr("python_assets.extract.scorers.scorers.validations", lambda: older)
    extracted(build, make_study("vader"))
    refusal = scorers()["refusal"]
    assert len(refusal) == len(REFUSALS)
    assert (refusal.is_current == (refusal.validated_version == refusal.scorer_version)).all()
    assert set(refusal.is_current) == {True, False}


def test_a_share_without_counts_has_its_reason(build, make_study, scorers):
    extracted(build, make_study("vader"))
    refusal = scorers()["refusal"]
    assert (refusal.n.isna() == (refusal.reason == "counts_not_told")).all()
    assert refusal.n.isna().sum() == sum(one.n is None for one in REFUSALS)


def test_a_packaged_set_with_another_bound_is_another_version(build, make_study, scorers):
    strict = {"name": "strict", "prototypes": {"labels": "fair_sea_leadership", "least_similarity": 0.9}}
    plain = {"name": "plain", "prototypes": "fair_sea_leadership"}
    own = {"name": "own", "prototypes": {"labels": {"a": ["a cat"], "b": ["a car"]}}}
    extracted(build, make_study(strict, plain, own))
    found = scorers()
    computed = {name: rows[rows.n.notna()].is_current.tolist() for name, rows in found.items()}
    assert set(computed["plain"]) == {True}
    assert set(computed["strict"]) == {False}
    assert found["own"].reason.tolist() == ["not_validated"]
    assert found["plain_similarity_authoritative"].reason.tolist() == ["not_validated"]


def test_a_column_is_of_the_import_unless_it_says_what_read_it(build, make_study, make_imported, scorers):
    keys = {"prompt_id": ["p"], "system": ["replayed"], "replicate": [0]}
    rows = pd.DataFrame({**keys, "is_refusal": [1]})
    column = {"name": "told", "column": "is_refusal", "kind": "binary"}
    study = make_study(column, {**column, "name": "versioned", "version_column": "by"})
    current = REFUSALS[0].version
    for by, n_rows in (("x", 1), (current, sum(one.version == current for one in REFUSALS))):
        extracted(build, study, make_imported(rows.assign(by=by)))
        found = scorers()
        assert found["told"].reason.tolist() == ["read_by_import"]
        assert len(found["versioned"]) == n_rows
    assert found["versioned"].is_current.all()
