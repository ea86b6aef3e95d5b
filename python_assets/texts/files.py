"""Files on the user's disk to documents: text, Markdown, HTML, PDF and Word, singly or in folders."""

import hashlib
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.errors import SourceError, Where
from python_assets.sandbox.sandbox import in_sandbox
from python_assets.study.study import Study
from python_assets.texts.decoding import Decoded, Undecodable, decode, read_bytes, read_text
from python_assets.texts.documents import Document
from python_assets.texts.docx import docx_paragraphs
from python_assets.texts.html import decode_html, html_paragraphs
from python_assets.texts.markdown import markdown_paragraphs
from python_assets.texts.pdf import pdf_paragraphs
from python_assets.warehouse.build import utc_now


class FileText(NamedTuple):
    """What a file holds: its running text, the text that is stored, the hash of its bytes."""

    paragraphs: list[str]
    document_text: str
    sha256: str
    undecodable: list[Undecodable]


FileReader = Callable[[Path, Where], FileText]


def text_paragraphs(text: str) -> list[str]:
    """Paragraphs of plain text: what blank lines part."""
    return re.split(r"\n\s*\n", text)


def _plain(split: Callable[[str], list[str]], decode: Callable[[bytes], Decoded] = decode) -> FileReader:
    """A reader of files that are text themselves; they are stored as they are."""

    def read(path: Path, field: Where) -> FileText:
        decoded = read_text(path, field, decode)
        text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
        return FileText(split(text), text, decoded.sha256, decoded.undecodable)

    return read


def _converted(convert: Callable[[bytes, Path, Where], list[str]]) -> FileReader:
    """A reader of files that hold text in a form of their own; their running text is stored."""

    def read(path: Path, field: Where) -> FileText:
        data = read_bytes(path, field)
        paragraphs = convert(data, path, field)
        return FileText(paragraphs, "\n\n".join(paragraphs), hashlib.sha256(data).hexdigest(), [])

    return read


TEXT_READERS: Final[dict[str, FileReader]] = {
    ".txt": _plain(text_paragraphs),
    ".md": _plain(markdown_paragraphs),
    ".markdown": _plain(markdown_paragraphs),
    ".html": _plain(html_paragraphs, decode_html),
    ".htm": _plain(html_paragraphs, decode_html),
    ".xhtml": _plain(html_paragraphs, decode_html),
    ".pdf": _converted(pdf_paragraphs),
    ".docx": _converted(docx_paragraphs),
}


# text itself, which no library unpacks
_READ_HERE: Final = frozenset({".txt", ".md", ".markdown"})


def find_texts(study: Study, path: str, field: Where) -> list[Path]:
    """The files that a path, a pattern or a folder of the study file names, in order.

    Args:
        study: says which folder paths start from.
        path: as the study file has it.
        field: where it stands, for error texts.

    Returns:
        The files; of a folder those below it whose ending is one of READERS, hidden ones left out.

    Raises:
        SourceError: a pattern that no file matches, or a folder without a file that can be read.
    """
    folder = _resolved(study, path)
    return _files_below(folder, field) if folder.is_dir() else find_files(study, path, field)


def find_files(study: Study, path: str, field: Where) -> list[Path]:
    """The files that a path or a pattern of the study file names, in order.

    Raises:
        SourceError: a pattern that no file matches.
    """
    resolved = _resolved(study, path)
    if resolved.exists() or not re.search(r"[*?\[]", path):
        return [resolved]
    root = Path(resolved.anchor)
    files = sorted(file for file in root.glob(str(resolved.relative_to(root))) if file.is_file())
    if not files:
        raise SourceError(
            field, f"no file at {resolved}", "a pattern that a file matches", "correct it or put the files there"
        )
    return files


def _resolved(study: Study, path: str) -> Path:
    # .. is taken out by hand: a pattern may hold it, and a symbolic link must keep the name it was given
    return Path(os.path.normpath(study.resolve(path).absolute()))


def _files_below(folder: Path, field: Where) -> list[Path]:
    files = sorted(
        file
        for file in folder.rglob("*")
        if file.suffix.lower() in TEXT_READERS
        and file.is_file()
        and not any(name.startswith((".", "~$")) for name in file.relative_to(folder).parts)
    )
    if not files:
        expected, remedy = f"a file that ends in {', '.join(TEXT_READERS)}", "correct the path, or put files there"
        raise SourceError(field, f"none below {folder}", expected, remedy)
    return files


def read_text_of(path: Path, field: Where) -> FileText:
    """Read one file in this process.

    Raises:
        SourceError: it is missing, unreadable, empty or no text.
    """
    return TEXT_READERS[path.suffix.lower()](path, field)


def read_file(path: Path, folder: Path, field: Where) -> Document:
    """Read one file; its uri is relative to a folder that it lies below.

    Raises:
        SourceError: it is missing, unreadable, empty, no text or of an unknown ending.
    """
    ending = path.suffix.lower()
    if ending not in TEXT_READERS:
        raise SourceError(field, path, f"a file that ends in {', '.join(TEXT_READERS)}", "convert it")
    is_foreign = ending not in _READ_HERE
    read = in_sandbox(partial(read_text_of, path, field), path, field) if is_foreign else read_text_of(path, field)
    folder = folder.absolute()
    return Document(
        uri=path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix(),
        paragraphs=tuple(read.paragraphs),
        document_text=read.document_text,
        sha256=read.sha256,
        retrieved_at=utc_now(),
        undecodable=tuple(read.undecodable),
    )
