import pytest

from python_assets.warehouse.progress import All, Lines, counted, duration


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_a_count_is_told_every_half_minute_and_at_its_end(clock, snapshot):
    lines = []
    tell = Lines(lines.append, clock).start("fair", "answers", 100)
    for n_done in range(1, 101):
        clock.now += 1
        tell(n_done)
    assert lines == snapshot


def test_what_is_said_is_written_at_once(clock):
    lines = []
    Lines(lines.append, clock).say("fair: 20 answers from the log")
    assert lines == ["fair: 20 answers from the log"]


def test_where_there_is_nothing_to_do_nothing_is_told(clock):
    lines = []
    Lines(lines.append, clock).start("fair", "answers", 0)(0)
    assert lines == []


def test_all_listeners_hear_the_same(clock):
    first, second = [], []
    progress = All(Lines(first.append, clock), Lines(second.append, clock))
    progress.say("one")
    progress.start("fair", "answers", 1)(1)
    assert first == second == ["one", "fair: 1 answers in 0.0 s"]


@pytest.mark.parametrize(("seconds", "at_rate"), [(0.5, ", 20.0 a second"), (0.0, "")])
def test_what_took_no_second_has_a_rate_and_what_took_no_time_has_none(seconds, at_rate):
    told = counted("fair", "answers", n_done=10, n_total=10, seconds=seconds)
    assert told == f"fair: 10 answers in {duration(seconds)}{at_rate}"


def test_a_slow_server_is_told_by_the_minute(snapshot):
    assert counted("slow", "answers", n_done=2, n_total=10, seconds=240.0) == snapshot


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.04, "0.0 s"), (59.94, "59.9 s"), (60, "1 min 0 s"), (3599.6, "1 h 0 min"), (7_500, "2 h 5 min")],
)
def test_a_time_has_its_two_largest_units(seconds, words):
    assert duration(seconds) == words
