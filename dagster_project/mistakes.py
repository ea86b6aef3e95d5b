"""What a user can mend, as Dagster shows it: the text alone, without the stack of the code that found it."""

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import dagster as dg
from dagster._core.errors import DagsterUserCodeProcessError
from dagster_shared.error import SerializableErrorInfo

from python_assets.errors import PlumblineError


class Mistake(DagsterUserCodeProcessError, dg.Failure):
    """A dg.Failure without a stack trace: Dagster shows an error of another process as that told it."""

    def __init__(self, text: str) -> None:
        told = SerializableErrorInfo(message=text, stack=[], cls_name=type(self).__name__)
        super().__init__(text, user_code_process_error_infos=[told])


def tells_mistakes(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Let an asset or a check end with the text of a PlumblineError; any other error keeps its stack."""
    if inspect.isgeneratorfunction(compute):

        @wraps(compute)
        def each(*arguments: Any, **resources: Any) -> Iterator[Any]:
            try:
                yield from compute(*arguments, **resources)
            except PlumblineError as error:
                raise Mistake(str(error)) from None

        return each

    @wraps(compute)
    def once(*arguments: Any, **resources: Any) -> Any:
        try:
            return compute(*arguments, **resources)
        except PlumblineError as error:
            raise Mistake(str(error)) from None

    return once
