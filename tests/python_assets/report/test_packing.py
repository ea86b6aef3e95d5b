import base64
import gzip
import json
import struct

import numpy as np
import pyarrow as pa
import pytest

from python_assets.report.packing import Pack


def unpacked(packed: str) -> tuple[dict, bytes]:
    """The header and the arrays of a pack, read by another hand than the page's script."""
    whole = gzip.decompress(base64.b64decode(packed))
    (size,) = struct.unpack("<I", whole[:4])
    return json.loads(whole[4 : 4 + size]), whole[4 + size :]


def numbers_of(column: dict, arrays: bytes) -> list[float]:
    n, at = column["n"], column["at"]
    planes = [arrays[at + place * n : at + (place + 1) * n] for place in range(3)]
    return [struct.unpack("<f", bytes([0, *triple]))[0] for triple in zip(*planes, strict=True)]


def levels_of(column: dict, arrays: bytes) -> list:
    width, at = column["width"], column["at"]
    codes = [
        int.from_bytes(arrays[at + place * width : at + (place + 1) * width], "little") for place in range(column["n"])
    ]
    return [column["levels"][code] for code in codes]


def packed_numbers(values: list[float]) -> list[float]:
    pack = Pack()
    header, arrays = unpacked(pack.packed({"column": pack.numbers(np.array(values))}))
    return numbers_of(header["column"], arrays)


def packed_column(values: list, key=None) -> tuple[list, list]:
    pack = Pack()
    table = pack.table(pa.table({"x": pa.array(values)}), {"x": key} if key else {})
    header, arrays = unpacked(pack.packed(table))
    return levels_of(header["columns"]["x"], arrays), header["columns"]["x"]["levels"]


def test_a_number_keeps_four_and_a_half_digits():
    rng = np.random.default_rng(1)
    values = rng.normal(size=500) * 10.0 ** rng.integers(-30, 30, size=500)
    assert packed_numbers(list(values)) == pytest.approx(list(values), rel=2**-16, abs=0)


def test_whole_numbers_up_to_sixteen_bits_are_kept_exactly():
    values = [0.0, 1.0, -1.0, 3.0, 255.0, 65535.0, -65536.0, 0.5, 0.25]
    assert packed_numbers(values) == values


def test_a_missing_number_stays_missing_and_an_endless_one_endless():
    found = packed_numbers([float("nan"), float("inf"), float("-inf"), 1e300])
    assert np.isnan(found[0])
    assert found[1:] == [float("inf"), float("-inf"), float("inf")]


def test_a_null_among_numbers_is_missing():
    pack = Pack()
    header, arrays = unpacked(pack.packed(pack.table(pa.table({"x": pa.array([1.0, None, 2.0])}), {})))
    found = numbers_of(header["columns"]["x"], arrays)
    assert found[0::2] == [1.0, 2.0]
    assert np.isnan(found[1])


@pytest.mark.parametrize("n_levels", [1, 255, 256, 65_536])
def test_levels_come_back_however_many_there_are(n_levels):
    values = [f"level {place:06d}" for place in range(n_levels)]
    mixed = [*values[::-1], None, *values]
    assert packed_column(mixed)[0] == mixed


def test_levels_are_sorted_by_their_key_and_null_stands_first():
    values = ["b", None, "a", "c"]
    assert packed_column(values)[1] == [None, "a", "b", "c"]
    assert packed_column(values, lambda name: -ord(name))[1] == [None, "c", "b", "a"]


def test_counts_and_flags_are_levels_of_their_own_kind():
    assert packed_column([1_050_001, 2, None])[0] == [1_050_001, 2, None]
    assert packed_column([True, False, None])[0] == [True, False, None]


def test_a_column_without_rows_or_values_is_empty():
    assert packed_column([None, None])[0] == [None, None]
    pack = Pack()
    header, arrays = unpacked(pack.packed(pack.table(pa.table({"x": pa.array([], pa.string())}), {})))
    assert levels_of(header["columns"]["x"], arrays) == []


def test_texts_of_any_script_come_back():
    values = ["שלום 😀", '</script>"', "\x00 zero", "Zürich"]
    assert packed_column(values)[0] == values


def test_the_same_columns_give_the_same_bytes():
    def pack() -> str:
        made = Pack()
        return made.packed(made.table(pa.table({"x": [1.5, 2.5], "y": ["a", "b"]}), {}))

    assert pack() == pack()
