import pandas as pd
import pytest

from python_assets.plan.plan import plan_study


@pytest.fixture
def imported(make_study, tmp_path):
    """Ten rows, some of which have a level that is not declared."""

    def study(n_wrong, **analysis):
        rows = [{"id": f"p{n}", "sex": "x" if n < n_wrong else "mf"[n % 2], "model": "m"} for n in range(10)]
        pd.DataFrame(rows).assign(answer="Yes.").to_csv(tmp_path / "t.csv", index=False)
        columns = {"prompt": "id", "response": "answer", "system": "model"}
        return make_study(
            {"import": {"path": "t.csv", "columns": columns, "factors": {"gender": "sex"}}},
            systems=[{"name": "*", "provider": "replay"}],
            factors={"gender": {"levels": ["m", "f"]}},
            analysis={"quality": analysis},
        )

    return study


def test_more_rows_in_quarantine_than_the_gate_lets_pass_are_told_by_plan(imported, snapshot):
    plan = plan_study(imported(3, max_removed_share=0.2))
    [problem] = plan.gates
    assert f"A run would fail:\n- {problem}" in plan.text()
    assert problem.field == "analysis.quality.max_removed_share"
    assert str(problem) == snapshot


def test_up_to_the_bound_nothing_is_told(imported):
    assert plan_study(imported(2, max_removed_share=0.2)).gates == []
    assert plan_study(imported(0, max_removed_share=0)).gates == []
