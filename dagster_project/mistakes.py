"""What a user can mend, as Dagster shows it: the text alone, without the stack of the code that found it."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final

import dagster as dg
from dagster._core.errors import DagsterUserCodeProcessError
from dagster_shared.error import SerializableErrorInfo

from python_assets.errors import PlumblineError

# of what may pass by itself, such as a server that is restarted: what was answered is not asked for again. As the
# policy of an asset it would try again after Ctrl-C, too
ASKING: Final = dg.RetryPolicy(max_retries=2, delay=60, backoff=dg.Backoff.EXPONENTIAL)


class Mistake(DagsterUserCodeProcessError, dg.Failure):
    """A dg.Failure without a stack trace: Dagster shows an error of another process as that told it."""

    def __init__(self, text: str) -> None:
        info = SerializableErrorInfo(message=text, stack=[], cls_name=type(self).__name__)
        super().__init__(text, user_code_process_error_infos=[info])


def tells_mistakes(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Let an asset or a check end with the text of a PlumblineError, or try again where it may pass.

    Any other error keeps its stack. The first argument is the context.
    """
    if inspect.isgeneratorfunction(compute):

        @wraps(compute)
        def each(*arguments: Any, **resources: Any) -> Iterator[Any]:
            with _told(*arguments[:1]):
                yield from compute(*arguments, **resources)

        return each

    @wraps(compute)
    def once(*arguments: Any, **resources: Any) -> Any:
        with _told(*arguments[:1]):
            return compute(*arguments, **resources)

    return once


@contextmanager
def _told(context: dg.AssetExecutionContext | dg.AssetCheckExecutionContext | None = None) -> Iterator[None]:
    try:
        yield
    except PlumblineError as error:
        if error.may_pass and context is not None and context.retry_number < ASKING.max_retries:
            delay = ASKING.calculate_delay(context.retry_number + 1)
            raise dg.RetryRequested(ASKING.max_retries, delay) from error
        raise Mistake(str(error)) from None
