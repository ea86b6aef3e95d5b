"""What the tests cost in CPU seconds, their processes included: by folder, the dearest cases, and the limits.

Seconds are calibrated: times those of a fixed loop on the machine that the limits were set on, divided by the mean of
those of the same loop in each worker, which takes it between tests: a machine may be slow for a quarter of an hour.
Limits hold for a whole tier, as make runs it.
"""

import os
from collections import defaultdict
from contextlib import contextmanager
from pathlib import PurePosixPath
from time import process_time

import pytest

LOOP_SECONDS = 0.17  # where the limits were set
SECONDS_BETWEEN_LOOPS = 15  # of CPU
N_DEAREST = 30
MOST_OF_A_CASE = {"not run": 15.0}
BUDGETS = {"not run": 1_000.0, "run": 2_700.0}
TOO_MUCH = 1.5  # times the budget


def cpu_seconds():
    """Of this process and of those that it has waited for."""
    user, system, of_children, system_of_children, _ = os.times()
    return user + system + of_children + system_of_children


@contextmanager
def counted(seconds, name):
    """Add what is done inside to the seconds of a name."""
    before = cpu_seconds()
    try:
        yield
    finally:
        seconds[name] += cpu_seconds() - before


def loop_seconds():
    """Of a loop that does the same everywhere."""
    before = process_time()
    n = 0
    for i in range(3_000_000):
        n += i * i % 7
    return process_time() - before


class Cost:
    """The plugin: it measures in each worker, and tells in the process that has them all."""

    def __init__(self, config):
        self.config = config
        self.of_workers = []
        self.total, self.call = defaultdict(float), defaultdict(float)
        self.loops, self.looped_at = [], 0.0

    @property
    def is_worker(self):
        return hasattr(self.config, "workeroutput")

    @property
    def measures_here(self):
        return self.is_worker or not self.config.getoption("numprocesses", None)

    def pytest_collection_finish(self):
        if self.measures_here:
            self.total["collection"] = cpu_seconds()
            self.take_loop()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        with counted(self.total, item.nodeid):
            done = yield
        if cpu_seconds() > self.looped_at + SECONDS_BETWEEN_LOOPS:
            self.take_loop()
        return done

    def take_loop(self):
        self.loops.append(loop_seconds())
        self.looped_at = cpu_seconds()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        with counted(self.call, item.nodeid):
            return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.of_workers.append(getattr(node, "workeroutput", {}).get("cost"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        if self.measures_here and self.loops:
            self.loops.append(loop_seconds())
            told = {"total": dict(self.total), "call": dict(self.call), "speed": sum(self.loops) / len(self.loops)}
            if self.is_worker:
                self.config.workeroutput["cost"] = told
            else:
                self.of_workers.append(told)
        if not self.is_worker and self.breaches():
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def calibrated(self, kind):
        """Seconds by case; collection is the sum of all workers."""
        seconds = defaultdict(float)
        for worker in filter(None, self.of_workers):
            for name, measured in worker[kind].items():
                seconds[name] += measured * LOOP_SECONDS / worker["speed"]
        return seconds

    @property
    def tier(self):
        """Of BUDGETS, where all of its tests were asked for."""
        asked = self.config.getoption("markexpr")
        return asked if asked in BUDGETS and self.config.args == self.config.getini("testpaths") else None

    def breaches(self):
        """What costs more than it may."""
        if (tier := self.tier) is None:
            return []
        spent, most = sum(self.calibrated("total").values()), TOO_MUCH * BUDGETS[tier]
        found = [f"all tests: {spent:,.0f} s, at most {most:,.0f}"] if spent > most else []
        at_most = MOST_OF_A_CASE.get(tier, float("inf"))
        dear = ((name, seconds) for name, seconds in self.calibrated("call").items() if seconds > at_most)
        return [*found, *(f"{name}: {seconds:.1f} s, at most {at_most:.0f}" for name, seconds in dear)]

    def pytest_terminal_summary(self, terminalreporter):
        if self.tier is None:
            return
        total = self.calibrated("total")
        folders = defaultdict(float)
        for name, seconds in total.items():
            folders[str(PurePosixPath(name.partition("::")[0]).parent) if "::" in name else name] += seconds
        tell = terminalreporter.write_line
        speeds = [f"{worker['speed']:.3f}" for worker in filter(None, self.of_workers)]
        terminalreporter.section(f"CPU seconds, calibrated (the loop took {', '.join(speeds)} s for {LOOP_SECONDS})")
        for listed in (folders, dict(sorted(total.items(), key=lambda one: -one[1])[:N_DEAREST])):
            for name, seconds in sorted(listed.items(), key=lambda one: -one[1]):
                tell(f"{seconds:8.1f}  {name}")
            tell("")
        tell(f"{sum(total.values()):8.1f}  in all")
        for breach in self.breaches():
            tell(f"costs too much: {breach}", red=True)
