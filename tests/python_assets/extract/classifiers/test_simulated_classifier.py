import numpy as np

from python_assets.extract.classifiers.simulated_classifier import simulated_method

TEXTS = [f"text {i}" for i in range(2_000)]


def test_a_score_depends_on_text_and_model_alone():
    method = simulated_method("a/b", ["x", "y"])
    found = method.score(TEXTS)
    np.testing.assert_array_equal(method.score(TEXTS[::-1])[::-1], found)
    np.testing.assert_array_equal(method.score(TEXTS[7:8])[0], found[7])
    assert not np.allclose(simulated_method("a/c", ["x", "y"]).score(TEXTS), found)


def test_scores_are_probabilities_of_labels_that_exclude_one_another():
    found = simulated_method("a/b", ["x", "y", "z"]).score(TEXTS)
    assert found.shape == (2_000, 3)
    assert found.min() > 0
    assert found.sum(axis=1).max() < 1
    # uniform on four shares: mean 1/4, standard deviation sqrt(3/80)
    np.testing.assert_allclose(found.mean(axis=0), 0.25, atol=4 * np.sqrt(3 / 80 / 2_000))
