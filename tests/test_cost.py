from types import SimpleNamespace

import pytest

from tests.cost import BUDGETS, LOOP_SECONDS, MOST_OF_A_CASE, TOO_MUCH, Cost

TIER = "not run"


def cost(*workers, args=("tests",), tier=TIER):
    options = {"markexpr": tier}
    config = SimpleNamespace(getoption=options.get, getini=lambda _: ["tests"], args=list(args), workeroutput={})
    counted = Cost(config)
    counted.of_workers += workers
    return counted


def worker(seconds, speed=LOOP_SECONDS):
    return {"total": seconds, "call": seconds, "speed": speed}


def test_seconds_of_a_slow_machine_count_for_less():
    slow = worker({"a": 6.0, "b": 1.0}, speed=2 * LOOP_SECONDS)
    assert cost(slow, worker({"b": 1.0}), None).calibrated("total") == {"a": 3.0, "b": 1.5}


def test_the_speed_is_that_of_the_whole_run(monkeypatch):
    counted, seconds = cost(), iter([0.0, 0.0, 4.0, 9.0, 9.0, 20.0, 40.0, 40.0])
    with monkeypatch.context() as patch:  # the plugin counts this test, too
        patch.setattr("tests.cost.cpu_seconds", lambda: next(seconds))
        patch.setattr("tests.cost.loop_seconds", lambda: LOOP_SECONDS * (1 + len(counted.loops)))
        counted.take_loop()
        for name in ("a", "b"):
            run = counted.pytest_runtest_protocol(SimpleNamespace(nodeid=name))
            next(run)
            with pytest.raises(StopIteration, match="done"):
                run.send("done")
    assert dict(counted.total) == {"a": 4.0, "b": 11.0}
    assert counted.loops == [LOOP_SECONDS, 2 * LOOP_SECONDS]


@pytest.mark.parametrize("over", [1, -1])
def test_a_tier_may_cost_its_budget_and_half_of_it(over):
    seconds = {f"t{i}": MOST_OF_A_CASE[TIER] for i in range(int(BUDGETS[TIER] * TOO_MUCH / MOST_OF_A_CASE[TIER]))}
    seconds["last"] = BUDGETS[TIER] * TOO_MUCH - sum(seconds.values()) + over
    found = cost(worker(seconds)).breaches()
    assert [line.partition(":")[0] for line in found] == ["all tests"] * (over > 0)


def test_a_dear_case_is_named():
    dear, least = MOST_OF_A_CASE[TIER] + 1, MOST_OF_A_CASE[TIER] - 1
    found = cost(worker({"tests/test_a.py::test_b": dear, "tests/test_a.py::test_c": least})).breaches()
    assert found == [f"tests/test_a.py::test_b: {dear:.1f} s, at most {MOST_OF_A_CASE[TIER]:.0f}"]


@pytest.mark.parametrize("part", [{"args": ("tests/test_a.py",)}, {"tier": ""}, {"tier": "run and not slow"}])
def test_a_part_of_a_tier_has_no_limit(part):
    assert cost(worker({"t": 1e6}), **part).breaches() == []
