from typing import get_args

import pytest

from python_assets.providers.failures import (
    FATAL,
    FATAL_AFTER_RETRIES,
    RETRYABLE,
    Backoff,
    FailureKind,
    ProviderFailure,
    is_retryable,
)


def test_waits_double_up_to_the_longest() -> None:
    backoff = Backoff(first_seconds=1, longest_seconds=10, jitter=lambda: 1.0)
    assert [backoff.seconds(attempt, None) for attempt in range(6)] == [1, 2, 4, 8, 10, 10]
    assert backoff.seconds(10_000, None) == 10


def test_jitter_halves_a_wait_at_most() -> None:
    assert Backoff(first_seconds=4, jitter=lambda: 0.0).seconds(0, None) == 2
    assert all(0.5 <= Backoff().seconds(0, None) <= 1.0 for _ in range(100))


@pytest.mark.parametrize(("retry_after", "waited"), [(7.0, 7.0), (0.25, 0.25), (1e9, 600.0), (float("inf"), 600.0)])
def test_retry_after_replaces_the_wait(retry_after: float, waited: float) -> None:
    assert Backoff().seconds(3, retry_after) == waited


def test_a_retry_after_of_no_time_replaces_no_wait() -> None:
    assert Backoff(jitter=lambda: 1.0).seconds(3, 0.0) == 8.0


def test_a_recorded_error_says_whether_it_is_asked_again() -> None:
    assert is_retryable(str(ProviderFailure("http_5xx", "HTTP 500 x: y")))
    assert not is_retryable(str(ProviderFailure("http_4xx", "HTTP 400 timeout: too short")))
    assert not is_retryable("written by something else")


def test_every_kind_is_handled_one_way() -> None:
    assert not RETRYABLE & FATAL
    assert set(get_args(FailureKind)) >= RETRYABLE | FATAL_AFTER_RETRIES
