"""Batch files of OpenAI: requests as lines that its Batch API takes, and what it returned for them.

Belongs here: the lines and their meaning. Which requests a study lacks is plan/batches.py.

Source: https://platform.openai.com/docs/guides/batch.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from python_assets.errors import SourceError
from python_assets.providers.error_bodies import failure_of_status
from python_assets.providers.failures import FATAL, ProviderFailure
from python_assets.providers.openai import OpenAI
from python_assets.providers.outcomes import CONTENT_FILTER, outcome_of
from python_assets.providers.reasoning import parted
from python_assets.providers.records import Answer, Outcome, Request

_MOST_LINES: Final = 50_000  # of one file
_MOST_BYTES: Final = 200_000_000
_SUCCESS: Final = 200


class BatchResult(NamedTuple):
    """One line of a file of results; place: file and line. record: the line as JSON, None where it is none."""

    place: str
    custom_id: str | None
    record: dict[str, Any] | None


class Refused(NamedTuple):
    """Why a request has no outcome and is still to be asked: the batch ended before it, or it cannot be sent so."""

    reason: str


def batch_lines(provider: OpenAI, requests: Iterable[Request]) -> Iterator[bytes]:
    """The lines of requests, whose custom_id is their response_id; no key and no header stands in them."""
    for request in requests:
        line = {
            "custom_id": request.response_id,
            "method": "POST",
            "url": f"/v1/{provider.path}",
            "body": provider.payload(request),
        }
        yield json.dumps(line, separators=(",", ":")).encode() + b"\n"


def write_batches(
    folder: Path, name: str, lines: Iterable[bytes], *, most_lines: int = _MOST_LINES, most_bytes: int = _MOST_BYTES
) -> dict[Path, int]:
    """Write lines to as many files as the limits of the API ask for: NAME_1.jsonl and so on.

    Args:
        folder: is there.
        name: of the generation: a file asks one model, as the API wants it.
        lines: each with its end.
        most_lines: of one file.
        most_bytes: of one file.

    Returns:
        The number of lines of each file.

    Raises:
        SourceError: a file cannot be written.
    """
    written: dict[Path, int] = {}
    for number, batch in enumerate(_parts(lines, most_lines, most_bytes), start=1):
        path = folder / f"{name}_{number}.jsonl"
        try:
            path.write_bytes(b"".join(batch))
        except OSError as error:
            expected = "a file that can be written"
            raise SourceError(path, error.strerror or error, expected, "name another folder: --to") from error
        written[path] = len(batch)
    return written


def _parts(lines: Iterable[bytes], most_lines: int, most_bytes: int) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    n_bytes = 0
    for line in lines:
        if batch and (len(batch) == most_lines or n_bytes + len(line) > most_bytes):
            yield batch
            batch, n_bytes = [], 0
        batch.append(line)
        n_bytes += len(line)
    if batch:
        yield batch


def read_results(paths: Sequence[Path]) -> Iterator[BatchResult]:
    """Every line of output and error files that is not blank.

    Raises:
        SourceError: a file cannot be read.
    """
    for path in paths:
        try:
            with path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    if line.strip():
                        yield _result(f"line {number} of {path.name}", line)
        except OSError as error:
            expected = "an output or error file of a batch"
            raise SourceError(path, error.strerror or error, expected, "correct the path") from error


def _result(place: str, line: bytes) -> BatchResult:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return BatchResult(place, None, None)
    custom_id = record.get("custom_id") if isinstance(record, dict) else None
    if not isinstance(custom_id, str):
        return BatchResult(place, None, None)
    return BatchResult(place, custom_id, record)


def outcome_of_result(provider: OpenAI, record: dict[str, Any]) -> Outcome | Refused:
    """What the log keeps of a line, as if its request had been asked; Refused where it is still to be asked.

    Args:
        provider: of the generation.
        record: a line of an output or error file.
    """
    response = record.get("response")
    if not isinstance(response, dict):
        return Refused(_told(record.get("error")))
    config, body = provider.config, response.get("body")
    try:
        if response.get("status_code") != _SUCCESS:
            raise failure_of_status(_status(response), json.dumps(body), {})
        if not isinstance(body, dict):
            raise ProviderFailure("malformed_response", "the body is no object")
        answer = provider.read_reply(body)
    except ProviderFailure as failure:
        if failure.kind in FATAL:
            return Refused(str(failure))
        if failure.kind != CONTENT_FILTER:
            return Outcome(None, error=str(failure), requested_at=_created(body), n_calls=1)
        answer = Answer(None, finish_reason=CONTENT_FILTER, context={CONTENT_FILTER: failure.message})
    answer = parted(answer, config.reasoning_tags)
    return replace(outcome_of(answer, _created(body), None, config.max_characters), n_calls=1)


def _status(response: dict[str, Any]) -> int:
    status = response.get("status_code")
    return status if isinstance(status, int) and not isinstance(status, bool) else 0


def _told(error: Any) -> str:
    """The batch's own words for a request that it did not send, for example batch_expired."""
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else "no response"


def _created(body: Any) -> str | None:
    """When the answer was made, ISO 8601 in UTC; the file does not say when it was asked."""
    seconds = body.get("created") if isinstance(body, dict) else None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None
