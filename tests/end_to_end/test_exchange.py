"""Sixty answers, each the same for five groups but for the group's word: no measure finds a difference.

`python -m bench.bench_exchange` does so with every real answer that names a group.
"""

import pytest

from bench.bench_exchange import GROUPS, READ_OTHERWISE, SIGNIFICANT, write_exchange
from bench.bench_refusals import TEMPLATES, exchanged_words, slotted
from python_assets.texts.group_mask import GroupMask
from tests.end_to_end.conftest import in_memory
from tests.python_assets.phrasings.written import own_phrasings

pytestmark = pytest.mark.run

N_TEXTS = 60


def texts() -> list[str]:
    """Texts with a slot for the group's word: templates, and phrasings of ours that name a group."""
    mask = GroupMask(exchanged_words()["word"])
    return [*TEMPLATES, *slotted((text for text, _ in own_phrasings("refusals")), mask)][:N_TEXTS]


@pytest.fixture(scope="module")
def exchanged(tmp_path_factory):
    return in_memory(write_exchange(tmp_path_factory.mktemp("exchanged"), texts()))


def test_there_are_sixty_texts_of_every_outcome(exchanged):
    assert len(texts()) == N_TEXTS
    outcomes = dict(exchanged.rows("select outcome, count(*) from responses group by 1"))
    assert set(outcomes) == {"answered", "refused"}
    assert all(n % len(GROUPS) == 0 for n in outcomes.values())


def test_every_reading_of_a_text_is_one_whoever_it_is_about(exchanged):
    assert exchanged.rows(READ_OTHERWISE) == []


def test_nothing_is_found_at_any_measure(exchanged):
    assert exchanged.rows(SIGNIFICANT) == []
