import numpy as np
import pandas as pd

from python_assets.infer.regressions.coding import RegressionDesign, Term, coded, independent_columns
from python_assets.infer.result import InferenceReason
from python_assets.infer.tables import SIMILAR_PROMPTS, SIMILAR_UNITS

ORDER = {"race": ["a", "b", "c", "nobody"], "style": ["plain", "polite"], "twin": ["x", "y"]}
LEVELS = pd.DataFrame(
    [(race, style, "x" if style == "plain" else "y") for race in "abc" for style in ("plain", "polite")],
    columns=["race", "style", "twin"],
)


def code(references, interactions=()):
    return coded(LEVELS[list(references)], RegressionDesign(references, list(interactions), ORDER))


def test_a_level_is_1_where_the_row_has_it_and_the_reference_has_no_column():
    found = code({"race": "b", "style": "plain"})
    assert [term.name for term in found.terms] == ["(intercept)", "race=a", "race=c", "style=polite"]
    assert found.x.tolist()[0] == [1, 1, 0, 0]
    assert found.x.tolist()[3] == [1, 0, 0, 1]


def test_an_interaction_is_the_product_of_its_levels():
    found = code({"race": "a", "style": "plain"}, [("race", "style")])
    names = [term.name for term in found.terms]
    of_both = found.x[:, names.index("race x style=b x polite")]
    np.testing.assert_array_equal(of_both, found.x[:, names.index("race=b")] * found.x[:, names.index("style=polite")])


def test_a_level_without_a_row_is_dropped_and_named():
    (dropped,) = code({"race": "a"}).dropped
    assert (dropped.term.name, dropped.reason) == ("race=nobody", InferenceReason.NO_VALUES)


def test_an_aliased_column_is_dropped_and_says_what_it_is_the_sum_of():
    found = code({"style": "plain", "twin": "x"})
    (dropped,) = found.dropped
    assert dropped.term.name == "twin=y"
    assert dropped.reason is InferenceReason.ALIASED
    assert dropped.aliased_with == ("style=polite",)
    assert np.linalg.matrix_rank(found.x) == found.x.shape[1]


def test_columns_that_nearly_depend_on_others_are_kept_and_those_that_do_are_not():
    x = np.random.default_rng(1).normal(size=(40, 3))
    dependent = np.column_stack([x, x @ [1, -2, 0.5]])
    assert independent_columns(dependent).tolist() == [True, True, True, False]
    dependent[0, 3] += 1e-4
    assert independent_columns(dependent).all()


def test_corners_of_a_level_are_itself_and_its_reference_at_the_references_of_its_partners():
    references = {"race": "a", "style": "plain"}
    alone, partnered = RegressionDesign(references, [], ORDER), RegressionDesign(references, [("race", "style")], ORDER)
    level, both = Term(("race",), ("b",)), Term(("race", "style"), ("b", "polite"))
    assert alone.corners(level) == [{"race": "b"}, {"race": "a"}]
    assert partnered.corners(level) == [{"style": "plain", "race": "b"}, {"style": "plain", "race": "a"}]
    assert len(partnered.corners(both)) == 4


def test_what_clusters_are_draws_of_is_said_by_their_kind():
    design = RegressionDesign({"race": "a"}, [], ORDER)
    assert (design.scope, design._replace(has_units=True).scope) == (SIMILAR_PROMPTS, SIMILAR_UNITS)
