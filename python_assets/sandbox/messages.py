"""What enters and leaves the sandbox: values of a declared type as JSON, tables as Arrow, nothing to be run.

Belongs here: both directions, so that each stands beside its reverse. Who sends what is sandbox.py and worker.py.
"""

import base64
import json
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import GenericAlias
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, get_type_hints

from python_assets.errors import PlumblineError, SourceError, StudyError, Told

if TYPE_CHECKING:  # neither is needed to start a worker
    import pandas as pd
    from pydantic import TypeAdapter

_T = TypeVar("_T")

_LENGTH_BYTES: Final = 8
_KIND: Final = "\0kind"
_VALUE: Final = "\0value"
_TABLE: Final = "table"
_ERRORS: Final = {kind.__name__: kind for kind in (SourceError, StudyError, PlumblineError)}


class _Kind(NamedTuple):
    """A type of values that JSON has not, and what stands there for one."""

    name: str
    type: type
    written: Callable[[Any], Any]
    read: Callable[[Any], Any]


def send(to: IO[bytes], *parts: bytes) -> None:
    """Write parts, each after its length, how many there are before them."""
    to.write(len(parts).to_bytes(_LENGTH_BYTES))
    for chunk in parts:
        to.write(len(chunk).to_bytes(_LENGTH_BYTES))
        to.write(chunk)
    to.flush()


def receive(stream: IO[bytes], most_bytes: int) -> list[bytes]:
    """Read the parts that were sent.

    Raises:
        EOFError: it ends before they do.
        ValueError: they have more than most_bytes.
    """
    chunks = []
    for _ in range(int.from_bytes(_exactly(stream, _LENGTH_BYTES))):
        n_bytes = int.from_bytes(_exactly(stream, _LENGTH_BYTES))
        most_bytes -= n_bytes + _LENGTH_BYTES
        if most_bytes < 0:
            raise ValueError("more is sent than is taken")
        chunks.append(_exactly(stream, n_bytes))
    return chunks


def _exactly(stream: IO[bytes], n_bytes: int) -> bytes:
    data = stream.read(n_bytes)
    if len(data) < n_bytes:
        raise EOFError
    return data


def pack(value: Any, read: Callable[..., Any]) -> list[bytes]:
    """A value as parts to be sent: its JSON, then the tables that stand anywhere in it.

    Args:
        value: of the type that the reader declares to return.
        read: the reader.

    Raises:
        TypeError: it holds something that is no data.
    """
    tables: list[bytes] = []

    def written(inner: Any) -> Any:
        if type(inner).__name__ == "DataFrame":
            return {_KIND: _TABLE, _VALUE: _packed_table(inner, tables)}
        return _written(inner)

    (given,) = _adapter(read).dump_python([value], by_alias=True, exclude_unset=True, warnings=False)
    return [json.dumps(given, default=written).encode("ascii"), *tables]


def unpack(parts: list[bytes], read: Callable[..., _T]) -> _T:
    """The value that was packed.

    Args:
        parts: as pack gives them.
        read: the reader, whose declared type the value is checked against.

    Raises:
        ValueError: it is not of that type.
    """
    text, *tables = parts

    def meant(entry: dict[str, Any]) -> Any:
        if _KIND not in entry:
            return entry
        value = entry[_VALUE]
        return _unpacked_table(value, tables) if entry[_KIND] == _TABLE else _kinds()[entry[_KIND]].read(value)

    try:
        given = json.loads(text, object_hook=meant)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError) as error:
        raise ValueError(f"no value ({type(error).__name__}: {error})") from error
    (value,) = _adapter(read).validate_python([given])
    return value


def pack_error(error: PlumblineError) -> bytes:
    """An error that a user can mend as a part to be sent; one of a class of no reader as PlumblineError."""
    where = [{"path": str(step)} if isinstance(step, Path) else step for step in error.where]
    got = error.got if isinstance(error.got, str | int | float | None) else str(error.got)
    fields = {
        "kind": next(name for name, kind in _ERRORS.items() if isinstance(error, kind)),
        "where": where,
        "got": got,
        "is_told": isinstance(error.got, Told),
        "expected": error.expected,
        "remedy": error.remedy,
    }
    return json.dumps(fields).encode("ascii")


def error_of(part: bytes) -> PlumblineError:
    """The error that was packed.

    Raises:
        ValueError: it is none.
    """
    try:
        sent = json.loads(part)
        where = tuple(Path(step["path"]) if isinstance(step, dict) else step for step in sent["where"])
        if not all(isinstance(step, str | int | Path) for step in where):
            raise ValueError("no place of an error")
        got = Told(sent["got"]) if sent["is_told"] else sent["got"]
        return _ERRORS[sent["kind"]](where, got, str(sent["expected"]), str(sent["remedy"]))
    except (LookupError, RecursionError, TypeError) as error:
        raise ValueError(f"no error ({error})") from error


@cache
def _adapter(read: Callable[..., _T]) -> "TypeAdapter[list[_T]]":
    """Of a list of what a reader declares: a record that has a configuration of its own takes no other."""
    from pydantic import ConfigDict, TypeAdapter

    values: Any = GenericAlias(list, (get_type_hints(read)["return"],))
    return TypeAdapter(values, config=ConfigDict(arbitrary_types_allowed=True))


@cache
def _kinds() -> dict[str, _Kind]:
    """By name; a subclass stands before its class."""
    import numpy as np
    import pandas as pd

    kinds = (
        _Kind("nat", type(pd.NaT), str, lambda _: pd.NaT),
        _Kind("na", type(pd.NA), str, lambda _: pd.NA),
        _Kind("timestamp", pd.Timestamp, pd.Timestamp.isoformat, pd.Timestamp),
        _Kind("datetime", datetime, datetime.isoformat, datetime.fromisoformat),
        _Kind("date", date, date.isoformat, date.fromisoformat),
        _Kind("time", time, time.isoformat, time.fromisoformat),
        _Kind("duration", pd.Timedelta, pd.Timedelta.isoformat, pd.Timedelta),
        _Kind(
            "timedelta", timedelta, lambda one: [one.days, one.seconds, one.microseconds], lambda one: timedelta(*one)
        ),
        _Kind("decimal", Decimal, str, Decimal),
        _Kind("bytes", bytes, lambda one: base64.b64encode(one).decode("ascii"), base64.b64decode),
        _Kind("array", np.ndarray, np.ndarray.tolist, _array),
    )
    return {kind.name: kind for kind in kinds}


def _array(entries: list[Any]) -> Any:
    import numpy as np

    array = np.asarray(entries)
    return array if array.ndim == 1 and array.dtype.kind in "biuf" else _objects(entries)


def _objects(entries: list[Any]) -> Any:
    import numpy as np

    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array


def _written(part: Any) -> Any:
    import numpy as np

    if isinstance(part, np.bool | np.number | np.str_):
        return part.item()
    if isinstance(part, Mapping):
        return dict(part)
    kind = next((one for one in _kinds().values() if isinstance(part, one.type)), None)
    if kind is None:
        raise TypeError(f"a value of the type {type(part).__name__}, which no table holds")
    return {_KIND: kind.name, _VALUE: kind.written(part)}


def _packed_table(table: "pd.DataFrame", tables: list[bytes]) -> dict[str, Any]:
    """Columns of one type as Arrow, by their place; entries of objects, which may be of many types, as a list."""
    import pyarrow as pa

    numbered = table.reset_index(drop=True).set_axis([str(at) for at in range(table.shape[1])], axis=1)
    objects = {at: numbered[at].tolist() for at in numbered if numbered[at].dtype == object}
    arrow = pa.Table.from_pandas(numbered.drop(columns=list(objects)), preserve_index=False)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    tables.append(sink.getvalue())
    return {"at": len(tables) - 1, "names": list(table.columns), "n_rows": len(table), "objects": objects}


def _unpacked_table(told: dict[str, Any], tables: list[bytes]) -> "pd.DataFrame":
    import pandas as pd
    import pyarrow as pa

    try:
        with pa.ipc.open_stream(tables[told["at"]]) as reader:
            arrow = reader.read_all()
        arrow.validate(full=True)
    except pa.ArrowException as error:
        raise ValueError(f"no table ({error})") from error
    index = pd.RangeIndex(told["n_rows"])
    typed = arrow.to_pandas()
    columns = typed.to_dict("series") | {
        at: pd.Series(entries, index, dtype=object) for at, entries in told["objects"].items()
    }
    in_order = {at: columns[str(at)] for at in range(len(told["names"]))}
    return pd.DataFrame(in_order, index=index).set_axis(told["names"], axis=1)
