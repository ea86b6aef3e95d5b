"""tests/python_assets/infer/test_chunk.py - mirrors python_assets/infer/chunk.py."""

import numpy as np
import pandas as pd
import pytest

from python_assets.infer.chunks.chunks import Here
from python_assets.infer.run import infer_study
from python_assets.infer.tables import TABLES
from tests.heard import Heard
from tests.python_assets.infer.test_run import analysis, numbers, rows

OF_ALL = [
    *(
        "family_id",
        "n_hypotheses",
        "q_value",
        "hypothesis_q_value",
        "verdict",
        "verdict_reason",
        "n_needed",
        "n_needed_for",
        "n_needed_reason",
    ),
    *(
        "value_without",
        "explained_by",
        "without_groups",
        "significant_at_look",
        "value_at_call",
        "ci_low_selected",
        "ci_high_selected",
        "value_shrunken",
        "selected_reason",
    ),
]


def made_of(study, *measures):
    """A build file of some of three measures: one lacks cells, and one is the only one to have others."""
    of_baseline = np.random.default_rng(9).normal(size=(12, 4))
    gaps, few = numbers(12, 4, seed=2, shift=2), numbers(12, 4, seed=3)
    gaps[:3, 1] = gaps[5, :2] = np.nan
    few[4:] = np.nan
    tables = {
        "sentiment": lambda: study.add("sentiment", numbers(12, 4, shift=1), baseline=of_baseline),
        "gaps": lambda: study.add("gaps", gaps),
        "few": lambda: study.add("few", np.repeat(few[:, :, None], 4, axis=2) + of_baseline[0]),
    }
    for name in measures:
        tables[name]()
    return study.ask("median", "variance").write()


def equal(found, expected, leaving_out=()):
    pd.testing.assert_frame_equal(
        found.drop(columns=[name for name in leaving_out if name in found]),
        expected.drop(columns=[name for name in leaving_out if name in expected]),
        check_exact=False,
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize(
    "taken_away", ["sentiment", *(pytest.param(name, marks=pytest.mark.run) for name in ("gaps", "few"))]
)
def test_what_is_said_of_a_measure_does_not_depend_on_its_neighbours(study, taken_away):
    connection = made_of(study, "sentiment", "gaps", "few")
    infer_study(connection, analysis())
    tables = ("hypotheses", "contrasts", "disparities", "summary_statistics")
    expected = {table: rows(connection, table, f"measure_id <> '{taken_away}'") for table in tables}
    for name in ("int_cells", "int_values"):
        connection.execute(f"delete from intermediate.{name} where measure_id = '{taken_away}'")
    infer_study(connection, analysis())
    for table in tables:
        assert len(expected[table])
        equal(rows(connection, table), expected[table], OF_ALL)


def test_chunks_of_a_study_give_the_tables_of_the_whole(study):
    connection = made_of(study, "sentiment", "gaps", "few")
    infer_study(connection, analysis())
    expected = {table: rows(connection, table) for table in TABLES}
    infer_study(connection, analysis(), chunks=Here(connection, analysis(), n=2))
    for table in TABLES:
        equal(rows(connection, table), expected[table])


def test_chunks_tell_the_same_of_pairs_of_systems(study):
    rng = np.random.default_rng(5)
    for measure, shift in (("sentiment", 2.0), ("calm", 0.0), ("toxicity", 1.0)):
        for name in ("old", "new"):
            x = rng.normal(size=(20, 4))
            x[:, 1] += shift if name == "new" else 0
            study.add(measure, x, system_id=name)
    connection = study.write()
    infer_study(connection, analysis())
    expected = rows(connection, "system_comparisons")
    assert (expected.explained_by == "g1").any() and (expected.verdict == "different").any()
    infer_study(connection, analysis(), chunks=Here(connection, analysis(), n=2))
    equal(rows(connection, "system_comparisons"), expected)


@pytest.mark.run
def test_pairs_that_draw_on_are_each_of_their_own_chunk(study, snapshot):
    rng = np.random.default_rng(5)
    for measure, shift in (("sentiment", 3.0), ("calm", 3.0), ("toxicity", 0.0)):
        for name in ("old", "new"):
            study.add(measure, rng.normal(size=(20, 4)) + (shift if name == "new" else 0), system_id=name)
    connection, few = study.write(), analysis(n_permutations=99)
    heard = Heard()
    infer_study(connection, few, progress=heard)
    assert [said for said in heard.said if "smallest p" in said] == snapshot
    expected = {table: rows(connection, table) for table in ("hypotheses", "system_comparisons")}
    infer_study(connection, few, chunks=Here(connection, few, n=3))
    for table, of_whole in expected.items():
        equal(rows(connection, table), of_whole)
