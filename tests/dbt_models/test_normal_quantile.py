"""The macro normal_quantile against scipy."""

import duckdb
import jinja2
import numpy as np
import pytest
from scipy import stats

from tests.dbt_models.conftest import PROJECT


@pytest.fixture(scope="module")
def expression() -> str:
    """The SQL of the macro for a column p; it needs nothing of dbt."""
    macros = "".join(
        (PROJECT / "macros" / f"{name}.sql").read_text() for name in ("polynomial", "normal_quantile")
    )
    return jinja2.Environment(autoescape=False).from_string(macros + "{{ normal_quantile('p') }}").render()


def test_it_is_the_normal_quantile(expression: str):
    edges = [0.02425 - 1e-9, 0.02425, 0.02425 + 1e-9]
    p = np.concatenate([np.linspace(1e-4, 1 - 1e-4, 2001), edges, 1 - np.array(edges), [1e-9, 1 - 1e-9]])
    relation = duckdb.connect().execute(f"select {expression} from (select unnest(?) as p)", [p.tolist()])
    found = np.array(relation.fetchall()).ravel()
    np.testing.assert_allclose(found, stats.norm.ppf(p), rtol=2e-9, atol=1e-9)


def test_it_is_odd(expression: str):
    (low,), (high,) = (
        duckdb.connect().execute(f"select {expression} from (select unnest([0.025, 0.975]) as p)").fetchall()
    )
    assert low == pytest.approx(-high, abs=1e-12)
