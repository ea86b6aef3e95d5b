import asyncio
import math
import random
from collections.abc import Callable

import pytest

from python_assets.providers.addresses import (
    CATCH_UP_SECONDS,
    FAILURES_IN_A_ROW,
    LEFT_ALONE_SECONDS,
    Address,
    Call,
    Pace,
    Visit,
)
from python_assets.providers.failures import FailureKind, ProviderFailure
from tests.python_assets.providers.conftest import Waits

CALL = Call("a request", n_tokens_in=100, most_tokens_out=256)


def most_in(seconds: float, times: list[float]) -> int:
    """The most of these times that lie within so many seconds."""
    first, most = 0, 0
    for last, time in enumerate(times):
        while times[first] <= time - seconds:
            first += 1
        most = max(most, last - first + 1)
    return most


@pytest.mark.parametrize("a_minute", [20, 500, 6_000, 20_000])
def test_nine_tenths_of_a_rate_are_used_and_no_window_has_more_than_all(a_minute: int) -> None:
    pace, late, now = Pace(a_minute), random.Random(1), 0.0
    times = []
    while now < 180:
        while (wait := pace.wait(now)) > 0:
            now += wait + 0.002 * late.random()  # as a timer is late
        pace.use(now, 1)
        times.append(now)
    assert len(times) >= 0.9 * 3 * a_minute
    assert most_in(60, times) <= a_minute
    assert most_in(5, times) <= math.ceil(a_minute / 12)


def test_time_that_was_not_used_is_not_made_up_for() -> None:
    pace = Pace(60)
    pace.use(0.0, 1)
    assert pace.wait(1_000.0) == 0
    pace.use(1_000.0, 1)
    assert pace.wait(1_000.0) == pytest.approx(1 / 0.95 - CATCH_UP_SECONDS)


def test_tokens_are_estimated_before_and_counted_as_they_were_after() -> None:
    waits = Waits()
    address = Address("http://here", waits.backoff())
    address.declare(concurrency=4, requests_per_minute=None, tokens_per_minute=30_000)

    async def ask(n_calls: int) -> None:
        for _ in range(n_calls):
            visit = await address.enter(CALL)
            assert visit is not None
            address.answered(visit, 140, 60)  # 200 tokens; 356 were the most that it could be
            address.leave(visit)

    asyncio.run(ask(300))
    used_a_minute = 60 * 300 * 200 / waits.now
    assert 0.9 * 30_000 <= used_a_minute <= 30_000


def test_both_rates_hold() -> None:
    waits = Waits()
    address = Address("http://here", waits.backoff())
    address.declare(concurrency=1, requests_per_minute=60, tokens_per_minute=1_000_000)

    async def ask(n_calls: int) -> None:
        for _ in range(n_calls):
            visit = await address.enter(CALL)
            assert visit is not None
            address.leave(visit)

    asyncio.run(ask(20))
    assert waits.now == pytest.approx(19 / 0.95, abs=CATCH_UP_SECONDS + 0.01)


def in_flight(address: Address, n: int) -> list[Visit]:
    """So many calls that have entered; raises where not as many may."""

    async def enter() -> list[Visit]:
        async with asyncio.timeout(1):
            visits = [await address.enter(Call(f"request {i}", 1, 1)) for i in range(n)]
        return [visit for visit in visits if visit]

    return asyncio.run(enter())


def leave_all(address: Address, visits: list[Visit], hear: Callable[[Visit], None]) -> None:
    for visit in visits:
        hear(visit)
        address.leave(visit)


def failure(kind: FailureKind, retry_after: float | None = None) -> ProviderFailure:
    return ProviderFailure(kind, "it said so", retry_after)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def address(waits: Waits) -> Address:
    made = Address("http://here", waits.backoff())
    made.declare(concurrency=8, requests_per_minute=None, tokens_per_minute=None)
    return made


def test_calls_at_a_time_halve_once_for_those_in_flight_together_and_come_back(address: Address, waits: Waits) -> None:
    def turned_away(visit: Visit) -> None:
        waits.now += 0.001
        address.failed(visit, failure("http_429"))

    leave_all(address, in_flight(address, 8), turned_away)
    leave_all(address, in_flight(address, 4), address.answered)
    with pytest.raises(TimeoutError):  # a round of answers makes room for one more, at most
        in_flight(address, 6)
    assert (address.least, address.n_turned_away) == (4, 8)


def test_calls_at_a_time_grow_up_to_what_is_declared(address: Address, waits: Waits) -> None:
    waits.now = 1.0
    (visit,) = in_flight(address, 1)
    address.failed(visit, failure("http_429"))
    address.leave(visit)
    for _ in range(100):
        leave_all(address, in_flight(address, 1), address.answered)
    leave_all(address, in_flight(address, 8), address.answered)
    with pytest.raises(TimeoutError):
        in_flight(address, 9)


def test_an_address_that_turns_everything_away_is_asked_one_at_a_time(address: Address, waits: Waits) -> None:
    for _ in range(10):
        waits.now += 1
        leave_all(address, in_flight(address, 1), lambda visit: address.failed(visit, failure("http_429")))
    assert address.least == 1
    in_flight(address, 1)


def test_what_an_address_asks_to_wait_holds_for_every_call(address: Address, waits: Waits) -> None:
    first, *others = in_flight(address, 3)
    address.failed(first, failure("http_429", retry_after=30))
    assert not address.is_open
    leave_all(address, [first, *others], lambda visit: None)
    in_flight(address, 3)
    assert waits.seconds == [30]


def test_a_call_goes_to_another_address_where_one_asks_to_wait(address: Address, waits: Waits) -> None:
    (visit,) = in_flight(address, 1)
    address.failed(visit, failure("http_5xx", retry_after=30))
    assert asyncio.run(address.enter(CALL, lambda: True)) is None
    assert waits.seconds == []


def test_a_call_that_waits_goes_elsewhere_once_it_can(address: Address, waits: Waits) -> None:
    (visit,) = in_flight(address, 1)
    address.failed(visit, failure("http_429", retry_after=600))
    assert asyncio.run(address.enter(CALL, lambda: waits.now >= 3)) is None
    assert waits.now == 3


def test_tokens_of_a_prompt_are_estimated_as_those_before_it_were_counted(waits: Waits) -> None:
    address = Address("http://here", waits.backoff())
    address.declare(concurrency=4, requests_per_minute=None, tokens_per_minute=60_000)
    first, second = in_flight(address, 2)
    assert (first.n_tokens, second.n_tokens) == (2, 2)
    leave_all(address, [first, second], lambda visit: address.answered(visit, 3, 5))
    (third,) = in_flight(address, 1)
    assert third.n_tokens == 3 + 5


def fail(address: Address, keys: list[str], kind: FailureKind = "http_5xx", other: bool = False) -> None:
    async def once(key: str) -> None:
        visit = await address.enter(Call(key, 1, 1))
        assert visit is not None
        address.leave(visit)
        address.failed(visit, failure(kind), lambda: other)

    for key in keys:
        asyncio.run(once(key))


def test_many_requests_that_fail_in_a_row_leave_the_address_alone(address: Address, waits: Waits) -> None:
    fail(address, [f"request {i}" for i in range(FAILURES_IN_A_ROW - 1)])
    assert address.is_open
    fail(address, ["one more"])
    assert address.is_left_alone
    assert address.left_alone_seconds == LEFT_ALONE_SECONDS


def test_one_request_that_always_fails_says_nothing_of_the_address(address: Address) -> None:
    fail(address, ["the same"] * 3 * FAILURES_IN_A_ROW)
    assert address.is_open


@pytest.mark.parametrize("kind", ["http_4xx", "http_429", "malformed_response", "content_filter"])
def test_a_server_that_replies_is_there(address: Address, kind: FailureKind) -> None:
    fail(address, [f"request {i}" for i in range(FAILURES_IN_A_ROW - 1)])
    fail(address, ["another"], kind)
    fail(address, ["one more"])
    assert address.is_open


def test_one_call_sees_whether_an_address_is_back_and_the_others_wait_for_it(address: Address, waits: Waits) -> None:
    fail(address, [f"request {i}" for i in range(FAILURES_IN_A_ROW)])
    entered = []

    async def enter(key: str) -> None:
        visit = await address.enter(Call(key, 1, 1))
        assert visit is not None
        entered.append((key, visit.probes))
        await asyncio.sleep(0)
        if key == "first":
            assert entered == [("first", True)]
            address.answered(visit)
        address.leave(visit)

    async def enter_all() -> None:
        await asyncio.gather(*map(enter, ["first", "second", "third"]))

    asyncio.run(enter_all())
    assert entered == [("first", True), ("second", False), ("third", False)]
    assert waits.seconds == [LEFT_ALONE_SECONDS]
    assert address.is_open


def test_an_address_that_is_not_back_is_left_alone_for_longer(address: Address, waits: Waits) -> None:
    fail(address, [f"request {i}" for i in range(FAILURES_IN_A_ROW)])
    fail(address, ["probe", "probe again"])
    assert waits.seconds == [60, 120]
    assert (address.n_failed_probes, address.left_alone_seconds) == (2, 240)


def test_where_nobody_listens_an_address_is_left_alone_at_once_if_there_is_another(address: Address) -> None:
    fail(address, ["one"], "connection")
    assert address.is_open
    fail(address, ["one"], "connection", other=True)
    assert address.is_left_alone
