from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from docx import Document

from python_assets.errors import SourceError
from python_assets.texts import decoding
from python_assets.texts.docx import docx_paragraphs


def docx_bytes(paragraphs):
    """A Word file of (style, text) pairs and one table."""
    document = Document()
    for style, text in paragraphs:
        document.add_paragraph(text, style=style)
    document.add_table(rows=1, cols=1).cell(0, 0).text = "Italy cell"
    data = BytesIO()
    document.save(data)
    return data.getvalue()


def test_running_text_is_kept_and_nothing_else():
    data = docx_bytes(
        [
            ("Title", "Italy title"),
            ("Heading 1", "Italy heading"),
            ("Normal", "Italy has a long coast."),
            ("Normal", " "),
            ("List Bullet", "Italy in a list."),
            ("Quote", "Italy in a quotation."),
            ("Caption", "Italy caption"),
            ("Heading 1", "References"),
            ("Normal", "Italy. A book."),
            ("Heading 2", "Books"),
            ("Normal", "Italy. Another book."),
            ("Heading 1", "Appendix"),
            ("Normal", "Italy after the references."),
        ]
    )
    assert docx_paragraphs(data, Path("a.docx"), "f") == [
        "Italy has a long coast.",
        "Italy in a list.",
        "Italy in a quotation.",
        "Italy after the references.",
    ]


@pytest.mark.parametrize("data", [b"no word file", b"PK\x05\x06" + b"\0" * 18])
def test_a_file_that_is_no_word_file_is_an_error_that_names_it(data, refused):
    with refused(SourceError, "f"):
        docx_paragraphs(data, Path("a.docx"), "f")


def test_a_file_without_running_text_is_an_error(refused):
    with refused(SourceError, "f"):
        docx_paragraphs(docx_bytes([("Title", "Italy")]), Path("a.docx"), "f")


def test_a_file_that_unpacks_to_more_than_memory_holds_is_refused(monkeypatch, refused):
    data = BytesIO(docx_bytes([("Normal", "Italy has a long coast.")]))
    with ZipFile(data, "a", ZIP_DEFLATED) as packed:
        packed.writestr("word/media/large.bin", b"\0" * 10_000_000)
    assert len(data.getvalue()) < 100_000
    monkeypatch.setattr(decoding, "MOST_UNPACKED_BYTES", 1_000_000)
    with refused(SourceError, "f"):
        docx_paragraphs(data.getvalue(), Path("a.docx"), "f")


ENTITIES = {
    "of_a_file": '<!DOCTYPE w [<!ENTITY e SYSTEM "file:///etc/hostname">]>',
    "of_its_own": '<!DOCTYPE w [<!ENTITY e "behind">]>',
    "of_entities": "<!DOCTYPE w [<!ENTITY a '" + "x" * 1000 + "'><!ENTITY e '" + "&a;" * 10_000 + "'>]>",
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("kind", ENTITIES)
def test_text_behind_an_entity_is_neither_read_nor_lost(refused, kind, encoding):
    target = BytesIO()
    with ZipFile(BytesIO(docx_bytes([("Normal", "Italy HERE.")]))) as sound, ZipFile(target, "w") as packed:
        for name in sound.namelist():
            content = sound.read(name)
            if name == "word/document.xml":
                text = content.decode().partition("?>")[2].replace("HERE", "&e;")
                content = f"<?xml version='1.0' encoding='{encoding}'?>{ENTITIES[kind]}{text}".encode(encoding)
            packed.writestr(name, content)
    with refused(SourceError, "f"):
        docx_paragraphs(target.getvalue(), Path("a.docx"), "f")


def test_what_a_part_declares_to_unpack_to_is_not_believed(refused):
    data = BytesIO(docx_bytes([("Normal", "Italy has a long coast.")]))
    with ZipFile(data, "a", ZIP_DEFLATED) as packed:
        packed.writestr("word/media/large.bin", b"\0" * 10_000_000)
    declared = data.getvalue().replace((10_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    with refused(SourceError, "f"):
        docx_paragraphs(declared, Path("a.docx"), "f")


def test_a_part_that_cannot_be_unpacked_is_an_error_that_names_the_file(refused):
    data = bytearray(docx_bytes([("Normal", "Italy has a long coast. " * 50)]))
    with ZipFile(BytesIO(bytes(data))) as packed:
        part = packed.getinfo("word/document.xml")
    start = part.header_offset + 30 + len(part.filename)
    data[start : start + 40] = b"\xff" * 40
    with refused(SourceError, "f"):
        docx_paragraphs(bytes(data), Path("a.docx"), "f")
