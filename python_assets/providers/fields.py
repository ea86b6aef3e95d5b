"""Fields of a server's reply as the log and the tables hold them.

Belongs here: what is kept of a value that has another type than the protocol says. An answer is never lost
for a wrong count beside it: what cannot be read is None.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, Final

GUARDRAIL: Final = "guardrail_intervened"  # Bedrock's word
SERVED_MODEL: Final = "served_model"  # in the context of an answer: the version that its service named
_FAILURE: Final = re.compile("[a-z0-9_]+")  # a mart reads them by a path of JSON
LARGEST_COUNT: Final = 2**31 - 1  # of an integer column


def text_or_none(value: Any) -> str | None:
    """A text, None for anything else."""
    return value if isinstance(value, str) else None


def count_or_none(value: Any) -> int | None:
    """A whole number from 0 to LARGEST_COUNT, also as 10.0 or "10"; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = float(value)  # int refuses more than 4,300 digits
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST_COUNT:
        return None
    return int(value) if value == int(value) else None


def counts_or_none(value: Any) -> dict[str, int] | None:
    """Calls by HTTP status or kind of failure, None for anything that is not that throughout."""
    if not isinstance(value, dict) or not all(_FAILURE.fullmatch(name) for name in value):
        return None
    counts = {name: count_or_none(count) for name, count in value.items()}
    read = {name: count for name, count in counts.items() if count is not None}
    return read if len(read) == len(counts) else None


def finish_reason(reply: Mapping[str, Any], told: Any) -> Any:
    """Why an answer ended, as its server told; Bedrock's guardrail says beside it that it stepped in.

    Source: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-invoke.html.
    """
    return GUARDRAIL if reply.get("amazon-bedrock-guardrailAction") == "INTERVENED" else told


def seconds_or_none(value: Any) -> float | None:
    """A duration, None for anything that is no finite number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # a float: an integer may be larger than any
    return value if is_number and abs(value) <= LARGEST_COUNT and math.isfinite(value) else None
