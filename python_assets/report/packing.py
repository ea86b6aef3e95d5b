"""Columns of a table as few bytes that a script of the page unpacks: scripts/unpack.js reads what is written.

Belongs here: the form of the bytes. Which tables there are is dashboard.py.
"""

import base64
import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

Key = Callable[[Any], Any]
Header = dict[str, Any]
DROPPED_BITS: Final = 8


def packed_text(text: str) -> str:
    """A text as base64 of gzip."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


class Pack:
    """Arrays one after another; what is where stands in a header."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._n_bytes = 0

    def table(self, table: pa.Table, keys: Mapping[str, Key]) -> Header:
        """Pack every column: fractions as numbers, all else as codes of levels.

        Args:
            table: columns of numbers, texts, booleans; NULL stays apart.
            keys: by column, what its levels are sorted by; else they are sorted as they are.
        """
        columns = {name: self._column(table[name], keys.get(name)) for name in table.column_names}
        return {"n": table.num_rows, "columns": columns}

    def _column(self, column: pa.ChunkedArray, key: Key | None) -> Header:
        if pa.types.is_floating(column.type):
            return self.numbers(column.to_numpy())
        coded = column.combine_chunks().dictionary_encode()
        values = coded.dictionary.to_pylist()
        order = sorted(range(len(values)), key=lambda index: values[index] if key is None else key(values[index]))
        codes = np.zeros(len(values) + 1, dtype=np.int64)
        codes[np.array(order, dtype=np.int64) + 1] = np.arange(1, len(values) + 1)
        indices = coded.indices.fill_null(-1).to_numpy()
        return self.codes(codes[indices + 1], [values[index] for index in order])

    def codes(self, codes: np.ndarray, levels: Sequence[Any]) -> Header:
        """Pack levels by number.

        Args:
            codes: (n,) from 0, which is NULL, to the number of levels.
            levels: what code 1, 2, ... stand for.
        """
        width = 1 if len(levels) < 2**8 else 2 if len(levels) < 2**16 else 4
        header = {"kind": "codes", "n": len(codes), "width": width, "levels": [None, *levels]}
        return header | {"at": self._add(codes.astype(f"<u{width}").tobytes())}

    def numbers(self, values: np.ndarray) -> Header:
        """Pack numbers with 16 significant bits, which is four and a half digits; NaN is NULL.

        The three bytes of a number stand in three planes: signs and exponents, much alike, shrink to little.
        """
        with np.errstate(over="ignore"):
            bits = values.astype("<f4").view("<u4")
        kept = np.where(np.isnan(values), bits, bits + (1 << (DROPPED_BITS - 1))) >> DROPPED_BITS
        planes = kept.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :3].T
        return {"kind": "numbers", "n": len(values), "at": self._add(planes.tobytes())}

    def _add(self, part: bytes) -> int:
        at = self._n_bytes
        self._parts.append(part)
        self._n_bytes += len(part)
        return at

    def packed(self, header: Header) -> str:
        """Everything as base64 of gzip: the length of the header, the header, the arrays."""
        named = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
        whole = b"".join([len(named).to_bytes(4, "little"), named, *self._parts])
        return base64.b64encode(gzip.compress(whole, mtime=0)).decode()
