"""Sources that lie on the user's disk: text and Markdown files."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from python_assets.errors import SourceError
from python_assets.scrape.decoding import read_text
from python_assets.scrape.markdown import markdown_paragraphs
from python_assets.scrape.sources import SOURCES, Document
from python_assets.study import Source, Study
from python_assets.warehouse import utc_now


def text_paragraphs(text: str) -> list[str]:
    """Paragraphs of plain text: what blank lines part."""
    return re.split(r"\n\s*\n", text)


PARAGRAPHS: Final[dict[str, Callable[[str], list[str]]]] = {
    ".txt": text_paragraphs,
    ".md": markdown_paragraphs,
    ".markdown": markdown_paragraphs,
}


@SOURCES.register("local")
def read_local(study: Study, source: Source, field: str) -> list[Document]:
    """Read the files that a source's path or pattern names.

    Args:
        study: says which folder paths start from.
        source: its path may hold the wildcards * ? [ ] and **.
        field: the source's place in the study file, for error texts.

    Returns:
        One document a file, in order of path.

    Raises:
        SourceError: no file, or one that is missing, unreadable, empty, no text or of an unknown ending.
    """
    field = f"{field}.path"
    return [_read_file(path, study.folder, field) for path in find_files(study, str(source.path), field)]


def find_files(study: Study, path: str, field: str) -> list[Path]:
    """The files that a path or a pattern of the study file names, in order.

    Raises:
        SourceError: a pattern that no file matches.
    """
    # .. is taken out by hand: a pattern may hold it, and a symbolic link must keep the name it was given
    resolved = Path(os.path.normpath(study.resolve(path).absolute()))
    if resolved.exists() or not re.search(r"[*?\[]", path):
        return [resolved]
    root = Path(resolved.anchor)
    files = sorted(file for file in root.glob(str(resolved.relative_to(root))) if file.is_file())
    if not files:
        raise SourceError(f"{field}: no file matches {resolved}. Correct the pattern or put the files there.")
    return files


def _read_file(path: Path, folder: Path, field: str) -> Document:
    split = PARAGRAPHS.get(path.suffix.lower())
    if split is None:
        known = ", ".join(PARAGRAPHS)
        raise SourceError(f"{field}: {path} ends in {path.suffix!r}. Expected {known}; convert the file.")
    decoded = read_text(path, field)
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    folder = folder.absolute()
    return Document(
        uri=path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix(),
        paragraphs=tuple(split(text)),
        document_text=text,
        sha256=decoded.sha256,
        retrieved_at=utc_now(),
        undecodable=tuple(decoded.undecodable),
    )
