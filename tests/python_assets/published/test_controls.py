"""tests/python_assets/published/test_controls.py - mirrors python_assets/published/controls.py."""

import pytest

from python_assets.published.controls import wording_in_words


@pytest.mark.parametrize(
    ("is_wide", "ending"),
    [(True, "."), (False, "; some hypotheses have too few of them to say anything about similar wordings.")],
)
def test_findings_hold_for_similar_wordings_only_where_there_are_enough(is_wide, ending):
    row = {"wording": "units", "groupings": ["age"], "n_wordings": 4, "is_wide": is_wide}
    assert wording_in_words([row]) == [f"age: each group stands in 4 wordings, which are the units{ending}"]
