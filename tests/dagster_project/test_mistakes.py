import dagster as dg
import pytest

from dagster_project.mistakes import Mistake, tells_mistakes
from python_assets.errors import SourceError

MISTAKE = SourceError("s.yml: prompts", "x", "y", "correct it")
TEXT = str(MISTAKE)


def run_of(body):
    """The step failure of an asset that does this."""

    @dg.asset
    @tells_mistakes
    def table():
        return body()

    result = dg.materialize([table], raise_on_error=False)
    (failed,) = (event for event in result.all_events if event.is_step_failure)
    return failed.step_failure_data


def fail():
    try:
        raise KeyError("inside")
    except KeyError as error:
        raise MISTAKE from error


def test_a_users_mistake_is_its_text_without_a_stack():
    failure = run_of(fail)
    assert failure.error.to_string() == TEXT
    assert failure.user_failure_data.description == TEXT


def test_an_error_of_the_code_keeps_its_stack():
    failure = run_of(lambda: {}["nothing"])
    assert "KeyError" in failure.error.to_string()
    assert "Stack Trace" in failure.error.to_string()


def test_what_an_asset_yields_before_is_kept():
    @tells_mistakes
    def rows():
        yield 1
        fail()

    found = rows()
    assert next(found) == 1
    with pytest.raises(Mistake, match=TEXT):
        next(found)
