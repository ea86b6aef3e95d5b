"""tests/python_assets/infer/schemes/test_choose.py - mirrors python_assets/infer/schemes/choose.py."""

import numpy as np
import pytest

from bench.bench_benchmark_wordings import DESIGNS, answers, cells_of, tables_of
from python_assets.infer.design.design import Unit
from python_assets.infer.options import Options
from python_assets.infer.result import InferenceReason
from python_assets.infer.schemes.choose import choose_schemes

OPTIONS = Options(1, 9, 9, 0.05, {}, {}, ())


def worded(n_wordings, n_sets=200):
    """Cells of three groups in wordings that move answers as much as .6 of a cell, and no group differs."""
    rng = np.random.default_rng(3)
    design = DESIGNS[0]._replace(levels=(3,))
    given = answers(rng, design, 120, n_wordings=n_wordings, tau=0.6, effect=0.0, n_sets=n_sets)
    return cells_of(given, None, is_worded=True)


@pytest.mark.parametrize("n_responses", [1, 5])
def test_whole_wordings_are_the_units_however_few(n_responses):
    for n, unit in ((3, Unit.ROOT_PROMPT), (4, Unit.ROOT_PROMPT), (2, InferenceReason.TOO_FEW_ROOT_PROMPTS)):
        cells = worded(n, n_sets=1)
        cells = cells._replace(n_responses=cells.n_responses * n_responses)
        (chosen,) = choose_schemes(cells, lambda: None, OPTIONS)
        assert unit is (chosen.scheme if isinstance(unit, InferenceReason) else chosen.scheme.design.unit)


def test_intervals_over_few_wordings_hold_what_they_should():
    contrasts = tables_of(worded(4), 99)["contrasts"].query("contrast == 'risk_difference'")
    assert ((contrasts.ci_low <= 0) & (contrasts.ci_high >= 0)).mean() > 0.9
    assert set(contrasts.scope) == {"these prompts"}
