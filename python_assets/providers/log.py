"""The response log: one JSON line a finished request, one file a generation.

A line holds response_id, the request it is the sha256 of, and the outcome; or, under `description`, the model
that answers the lines after it. The log is the only thing that cannot be rebuilt, so lines are only ever
appended; one that cannot be read is reported and stays where it is.
"""

import fcntl
import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, fields, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, NamedTuple, Self

from python_assets.errors import ProviderError
from python_assets.providers.fields import count_or_none, counts_or_none, seconds_or_none, text_or_none
from python_assets.providers.records import Description, Outcome, Rejected, Request
from python_assets.providers.usage import Usage, usage_of

RULE_UNREADABLE: Final = "log_line_unreadable"
_SHOWN_CHARACTERS: Final = 500

_OUTCOME: Final = tuple(field.name for field in fields(Outcome))
_REQUEST: Final = ',"request":'
_TEXTS: Final = ("response_text", "error", "requested_at", "context_json")
# a log of before these were checked holds what a server sent; to refuse its line would ask and pay again
_READ_AS: Final[dict[str, Callable[[Any], Any]]] = {
    "finish_reason": text_or_none,
    "latency_seconds": seconds_or_none,
    "n_tokens_in": count_or_none,
    "n_tokens_out": count_or_none,
    "n_tokens_cached": count_or_none,
    "n_calls": count_or_none,
    "n_retries": count_or_none,
    "failed_calls": counts_or_none,
}


class LogContent(NamedTuple):
    """What a log holds.

    outcomes: by response_id, the latest with the failed calls of all; description: the latest; rejected: lines nobody
    can read; n_bytes: size of the file when read; n_bytes_whole: the same less a torn last line. used: by all lines,
    those that a later one replaces too.
    """

    outcomes: dict[str, Outcome]
    description: Description | None
    rejected: list[Rejected]
    n_bytes: int
    n_bytes_whole: int
    used: Usage = Usage()


def read_log(path: Path) -> LogContent:
    """Read a response log; an absent file is an empty log.

    Args:
        path: the log of one generation.

    Returns:
        Everything readable in it. A last line without its end that cannot be read is torn: it is not
        reported, and LogWriter cuts it off. Any other unreadable line is in `rejected`, with its number.

    Raises:
        ProviderError: the file cannot be read.
    """
    outcomes: dict[str, Outcome] = {}
    rejected: list[Rejected] = []
    description, n_bytes, torn, used = None, 0, 0, Usage()
    for number, line in enumerate(_lines(path), start=1):
        n_bytes += len(line)
        try:
            record = _parse(line)
        except (ValueError, RecursionError) as error:
            if line.endswith(b"\n"):
                rejected.append(_rejected(path, number, line, error))
            else:
                torn = len(line)
            continue
        if isinstance(record, Description):
            description = record
        elif record is not None:
            response_id, outcome, line_usage = record
            outcomes[response_id] = after(outcomes.get(response_id), outcome)
            used += line_usage
    return LogContent(outcomes, description, rejected, n_bytes, n_bytes - torn, used)


def after(earlier: Outcome | None, latest: Outcome) -> Outcome:
    """The latest outcome of a request, with the retries and failed calls of those that it replaces.

    To ask again after an error is a retry, too. What one of them did not record is recorded of neither.
    """
    if earlier is None:
        return latest
    n_retries = failed_calls = None
    if earlier.n_retries is not None and latest.n_retries is not None:
        n_retries = earlier.n_retries + latest.n_retries + (earlier.error is not None)
    if earlier.failed_calls is not None and latest.failed_calls is not None:
        failed_calls = dict(Counter(earlier.failed_calls) + Counter(latest.failed_calls))
    return replace(latest, n_retries=n_retries, failed_calls=failed_calls)


def _lines(path: Path) -> Iterable[bytes]:
    try:
        with path.open("rb") as file:
            yield from file
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unusable(path, "read", error) from error


def _parse(line: bytes) -> Description | tuple[str, Outcome, Usage] | None:
    if not line.strip():
        return None
    text = line.decode()
    record = json.loads(text)
    if not isinstance(record, dict):
        raise ValueError(f"expected an object, got {type(record).__name__}")
    if "description" in record:
        return _description(record["description"])
    if not isinstance(record.get("response_id"), str):
        raise ValueError("response_id is missing or no text")
    if record["response_id"] != _sha256_of_request(text):
        raise ValueError("response_id is not the sha256 of the request")
    for name in _TEXTS:
        if not isinstance(record.get(name), str | None):
            raise ValueError(f"{name} is {type(record[name]).__name__}")
    read = {name: read_as(record.get(name)) for name, read_as in _READ_AS.items()}
    outcome = Outcome(**{name: record.get(name) for name in _TEXTS}, **read)
    return record["response_id"], outcome, usage_of(outcome, _messages(record["request"]))


def _messages(request: Any) -> list[Any]:
    """What was sent; none where the request has another form."""
    messages = request.get("messages") if isinstance(request, dict) else None
    listed = messages if isinstance(messages, list) else []
    return [one for one in listed if isinstance(one, dict) and isinstance(one.get("content"), str)]


def _sha256_of_request(text: str) -> str | None:
    """Of the request as the line spells it: parsed and written again, it may be spelled otherwise."""
    start = text.find(_REQUEST) + len(_REQUEST)
    if start < len(_REQUEST):
        return None
    _, end = json.JSONDecoder().raw_decode(text, start)
    return hashlib.sha256(text[start:end].encode(errors="surrogatepass")).hexdigest()


def _description(record: Any) -> Description:
    if not isinstance(record, dict) or set(record) != {field.name for field in fields(Description)}:
        raise ValueError("description does not have its three fields")
    if not isinstance(record["model_details"], dict):
        raise ValueError("model_details is no object")
    return Description(**record)


def _rejected(path: Path, number: int, line: bytes, error: Exception) -> Rejected:
    shown = line.decode(errors="backslashreplace").rstrip("\n")[:_SHOWN_CHARACTERS]
    detail = f"line {number} of {path.name}: {type(error).__name__}: {error}"[:_SHOWN_CHARACTERS]
    return Rejected(
        stage="generate",
        record_key=f"{path.name}:{number}",
        rule=RULE_UNREADABLE,
        detail=detail,
        record_json=json.dumps({"line": shown}),
    )


def response_line(request: Request, outcome: Outcome) -> str:
    """One line of the log; lone surrogates are kept as JSON escapes.

    Raises:
        ValueError: the line would not be read as it was meant; what is lost in a log is paid again.
    """
    rest = json.dumps({name: getattr(outcome, name) for name in _OUTCOME}, separators=(",", ":"))
    # The identity is spliced in as the text that was hashed, so that a reader can check response_id.
    prompt_id = json.dumps(request.prompt.prompt_id)
    line = (
        f'{{"response_id":"{request.response_id}","prompt_id":{prompt_id},"replicate":{request.replicate},'
        f'"request":{request.identity_json},{rest[1:]}\n'
    )
    read_back = _parse(line.encode("ascii"))
    if not isinstance(read_back, tuple) or read_back[:2] != (request.response_id, outcome):
        raise ValueError(f"a line of the response log cannot be read back: {line[:_SHOWN_CHARACTERS]}")
    return line


def description_line(description: Description) -> str:
    """The line that says which model answers the lines after it."""
    return json.dumps({"description": asdict(description)}, separators=(",", ":"), default=str) + "\n"


class LogWriter:
    """Appends to a response log; opened, locked and rid of a torn last line at the first append."""

    def __init__(self, path: Path, content: LogContent) -> None:
        self._path = path
        self._content = content
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def append(self, lines: Iterable[str]) -> None:
        """Append whole lines and hand them to the operating system.

        Raises:
            ProviderError: the log cannot be written, or another run writes it.
        """
        try:
            if self._file is None:
                self._file = self._open()
            self._file.write("".join(lines).encode("ascii"))
            self._file.flush()
        except OSError as error:
            raise _unusable(self._path, "written", error) from error

    def _open(self) -> IO[bytes]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("ab")
        try:
            self._take(file)
        except BaseException:
            file.close()
            raise
        return file

    def _take(self, file: IO[bytes]) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._busy() from None
        if os.fstat(file.fileno()).st_size != self._content.n_bytes:
            raise self._busy()
        end = self._content.n_bytes_whole
        file.truncate(end)
        if end and not _ends_with_newline(self._path, end):
            file.write(b"\n")

    def _busy(self) -> ProviderError:
        expected, remedy = "a response log that no other run writes", "wait until it ends, then run again"
        return ProviderError(self._path, "another run", expected, remedy)


def _ends_with_newline(path: Path, end: int) -> bool:
    with path.open("rb") as file:
        file.seek(end - 1)
        return file.read(1) == b"\n"


def _unusable(path: Path, what: str, error: OSError) -> ProviderError:
    expected, remedy = f"a response log that can be {what}", "check the folder, its rights and the space left"
    return ProviderError(path, error.strerror or error, expected, remedy)
