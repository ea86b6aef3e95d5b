"""Which groups of a panel are drawn where there are too many."""

import pytest

from python_assets.report import charts
from python_assets.report.panels import MAX_PANEL_GROUPS, PanelDrawer


class Declared:
    """The order that groups are declared in, which is all that a drawer asks a reader for."""

    def group_order(self, grouping_id, group_id):
        return (int(group_id[1:]),)


def row(number, value):
    found = {"system_id": "m", "group_id": f"g{number}", "value": value, "ci_low": None, "ci_high": None}
    n = 0 if value is None else 5
    return found | {"n_responses": n, "n_root_prompts": n, "reason": "no_values", "inference_reason": "no_values"}


@pytest.mark.parametrize(
    ("n_valued", "n_silent", "drawn", "told"),
    [
        (5, 3, 8, ""),
        (5, MAX_PANEL_GROUPS, 5, "with a value"),
        (MAX_PANEL_GROUPS + 2, 9, MAX_PANEL_GROUPS, "that differ most"),
        (0, MAX_PANEL_GROUPS + 1, MAX_PANEL_GROUPS, "that differ most"),
    ],
)
def test_of_too_many_groups_those_without_a_value_leave_first(n_valued, n_silent, drawn, told):
    rows = [row(at, at / 100 if at < n_valued else None) for at in range(n_valued + n_silent)]
    axis = charts.make_axis([0.0, 1.0])
    drawer = PanelDrawer(Declared(), "group", axis, axis, {})
    system = {"system_id": "m", "is_simulated": False, "is_baseline": False}
    panel = drawer.panel(system, rows, [one | {"q_value": None, "verdict": None} for one in rows])
    assert (len(panel.groups), panel.n_groups, panel.drawn_of) == (drawn, len(rows), told)
    if told == "that differ most" and n_valued:
        assert [one.group_id for one in panel.groups][:2] == [f"g{n_valued - 1}", f"g{n_valued - 2}"]
    assert panel.counts.startswith("each group: 5 responses" if n_valued else "each group: 0 responses")
