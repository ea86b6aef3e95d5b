import os
from pathlib import Path

import pytest

from python_assets.errors import SourceError
from python_assets.texts.decoding import Undecodable, decode, quarantine_undecodable, read_lines, read_text


def test_utf8_is_read_as_it_is():
    text = "Türkiye 😀 שלום مرحبا 日本"
    assert decode(text.encode()).text == text
    assert decode(text.encode()).undecodable == []


def test_a_byte_order_mark_is_no_text():
    assert decode(b"\xef\xbb\xbfHello").text == "Hello"


def test_undecodable_bytes_are_left_out_and_told_with_their_byte_position():
    decoded = decode("Türk".encode() + b"\xff\xfe" + "iyé".encode() + b"\xe9.")
    assert decoded.text == "Türkiyé."
    assert decoded.undecodable == [Undecodable(5, b"\xff\xfe"), Undecodable(11, b"\xe9")]


def test_text_and_undecodable_bytes_together_are_the_file():
    data = bytes(range(1, 256)) * 3
    decoded = decode(data)
    whole = bytearray(decoded.text.encode())
    for position, run in decoded.undecodable:
        whole[position:position] = run
    assert bytes(whole) == data


def test_undecodable_bytes_become_quarantine_rows():
    (row,) = quarantine_undecodable("scrape", "a.txt", [Undecodable(5, b"\xff\xfe")])
    assert (row.record_key, row.rule) == ("a.txt@5", "undecodable_bytes")
    assert row.record_json == '{"position": 5, "bytes": "ff fe"}'


@pytest.mark.parametrize(
    "content", [b"", b" \n\t\n", "Hello.".encode("utf-16"), None], ids=["empty", "blank", "utf-16", "absent"]
)
def test_a_file_without_text_is_an_error_that_names_file_field_and_remedy(tmp_path, refused, content):
    path = tmp_path / "article.txt"
    if content is not None:
        path.write_bytes(content)
    with refused(SourceError, "prompts.scrape.sources[0].path"):
        read_text(path, (Path("s.yml"), "prompts", "scrape", "sources", 0, "path"))


def test_a_folder_is_no_file(tmp_path, refused):
    with refused(SourceError, "field"):
        read_text(tmp_path, "field")


def test_a_pipe_is_no_file(tmp_path, refused):
    os.mkfifo(tmp_path / "pipe.txt")
    with refused(SourceError, "field"):
        read_text(tmp_path / "pipe.txt", "field")


def test_lines_are_those_of_the_whole_text_with_bytes_at_their_place(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbffirst \xff\nsecond\r\n\n\xfe\xff last \xc3\xbc")
    whole = read_text(path, "f")
    lines = list(read_lines(path, "f"))
    assert [text for text, _ in lines] == whole.text.split("\n")
    assert [one for _, undecodable in lines for one in undecodable] == whole.undecodable


@pytest.mark.parametrize("data", [b"", b" \n\n", b"a\nb\0c\n"])
def test_lines_of_no_text_are_the_error_of_the_whole(tmp_path, data):
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(SourceError) as whole:
        read_text(path, "f")
    with pytest.raises(SourceError) as by_lines:
        list(read_lines(path, "f"))
    assert str(by_lines.value) == str(whole.value)
