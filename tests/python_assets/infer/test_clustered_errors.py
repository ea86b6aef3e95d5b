"""Another road to the same errors: regressions with standard errors clustered by root prompt."""

import numpy as np
import pytest
import statsmodels.api as sm

from bench.error_rates import measured, simulated
from bench.error_rates.measured import Sizes
from bench.error_rates.simulated import Layout, Model

SMALL = Layout(30, 5)


def of_first_group(layout, z):
    """Outcome, constant and indicator of the first group, and root prompt, row by row."""
    frame = simulated.frame_of(layout)
    return z[:, 0], sm.add_constant((frame.group == 0).astype(float)), frame.block


def clustered_error(model, root, n_rows):
    """Error of the second coefficient, without statsmodels' factor for the two coefficients."""
    fitted = model.fit(cov_type="cluster", cov_kwds={"groups": root}, **model_options(model))
    return fitted.params[1], fitted.bse[1] * np.sqrt((n_rows - 2) / (n_rows - 1))


def model_options(model):
    return {"disp": 0} if isinstance(model, sm.Logit) else {}


def test_difference_and_error_are_those_of_least_squares_clustered_by_prompt():
    compared = measured.compared_means(SMALL, Model(), Sizes(1, 1)).contrasts["mean_difference"]
    y, design, root = of_first_group(SMALL, simulated.means(Sizes(1).rng, SMALL, Model(), 1))
    value, error = clustered_error(sm.OLS(y, design), root, len(y))
    assert compared.value[0, 0] == pytest.approx(value, abs=1e-10)
    assert compared.std_error[0, 0] == pytest.approx(error, abs=1e-10)


def test_log_disparity_and_error_are_those_of_a_logit_clustered_by_prompt():
    layout = Layout(40, 5)
    compared = measured.compared_rates(layout, Model(), Sizes(1, 1), 0.3).contrasts["log_disparity"]
    y, design, root = of_first_group(layout, simulated.rates(Sizes(1).rng, layout, Model(), 1, p=0.3))
    value, error = clustered_error(sm.Logit(y, design), root, len(y))
    assert compared.value[0, 0] == pytest.approx(value, abs=1e-8)
    assert compared.std_error[0, 0] == pytest.approx(error, abs=1e-8)
