"""The running text of a PDF file: lines joined, without running heads, page numbers, captions, references."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from python_assets.errors import SourceError, Where
from python_assets.texts.headings import is_reference_heading
from python_assets.texts.limits import MOST_DRAWN, MOST_PAGE_BYTES

if TYPE_CHECKING:
    from pypdf import PageObject

_CAPTION: Final = re.compile(r"(Figure|Fig\.|Table|Tab\.|Abbildung|Abb\.|Tabelle|図|表|图)\s?\d+\s?[.:：]")
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]$")
_BULLET: Final = re.compile(r"\A(?:[•●▪‣*]\s+|[–-]\s+(?=[^\W\d_a-z]))")
_NUMBERED_HEADING: Final = re.compile(r"(\d+\.)*\d+\.? +[^\W\d_]")
_SENTENCE_END: Final = (".", "!", "?", "…", "。", "！", "？", "।", '."', ".”", ".)")
# a line shorter than this share of a full one ends a paragraph, unless the next goes on in lower case
_SHORT: Final = 2 / 3
_FULL_LINE_QUANTILE: Final = 0.9
_FEWEST_PAGES_OF_A_RUNNING_HEAD: Final = 3


def pdf_paragraphs(data: bytes, path: Path, field: Where) -> list[str]:
    """Paragraphs of a PDF file.

    Args:
        data: its bytes.
        path: where it lies, for error texts.
        field: of the study file that names it, for error texts.

    Returns:
        The text of each paragraph in order, up to a heading that opens the references.

    Raises:
        SourceError: it is no PDF file, is encrypted, asks for more than MOST_PAGE_BYTES or MOST_DRAWN, or
            holds no text.
    """
    from pypdf import PdfReader  # slow to import

    try:
        drawn = _Drawn()
        pages = [_page_lines(page, drawn) for page in PdfReader(BytesIO(data)).pages]
    except Exception as error:
        # a broken file can make pypdf stumble over anything, its own assertions among them
        remedy = "save it anew, or convert it to text"
        raise SourceError(field, f"{path} ({error})", "a sound PDF file without a password", remedy) from error
    if not any(line.strip() for lines in pages for line in lines):
        got = f"{path}, only pictures of pages perhaps"
        raise SourceError(field, got, "a PDF file with text", "recognise its text (OCR) first")
    return join_lines(pages)


class _Drawn:
    """Counts what draws all pages: a form that draws another twice, and so on, draws without end."""

    n = 0

    def count(self, *_operator: object) -> None:
        self.n += 1
        self.check()

    def check(self) -> None:
        if self.n > MOST_DRAWN:
            raise ValueError(f"more than {MOST_DRAWN:,} operators draw it")


def _page_lines(page: "PageObject", drawn: _Drawn) -> list[str]:
    contents = page.get_contents()
    if contents is not None and (n_bytes := len(contents.get_data())) > MOST_PAGE_BYTES:
        raise ValueError(f"a page is drawn by {n_bytes:,} bytes, more than {MOST_PAGE_BYTES:,}")
    lines = page.extract_text(visitor_operand_before=drawn.count).splitlines()
    drawn.check()  # pypdf leaves out a form that cannot be drawn
    return lines


def join_lines(pages: Sequence[Sequence[str]]) -> list[str]:
    """Join the lines of pages to paragraphs.

    Args:
        pages: the lines of each page, in order.

    Returns:
        Paragraphs; one that a page break parts is whole again. Lines that head or foot most pages, bare page
        numbers and captions are left out, and everything after a heading that opens the references.
    """
    lines = list(_running_lines([[" ".join(line.split()) for line in page] for page in pages]))
    lengths = sorted(len(line) for line in lines if line)
    full = lengths[int(_FULL_LINE_QUANTILE * (len(lengths) - 1))] if lengths else 0
    paragraphs = [""]
    for line, following in pairwise([*lines, ""]):
        paragraphs[-1] = _joined(paragraphs[-1], line)
        if not line or _ends_paragraph(line, following, full):
            paragraphs.append("")
    paragraphs = [_BULLET.sub("", paragraph) for paragraph in paragraphs]
    return [paragraph for paragraph in paragraphs if paragraph and not _CAPTION.match(paragraph)]


def _running_lines(pages: Iterable[list[str]]) -> Iterable[str]:
    filled = [[line for line in page if not line.isdigit()] for page in pages]
    filled = [page for page in filled if any(page)]
    edges = Counter(line for page in filled for line in {_numberless(line) for line in _edges(page)})
    fewest = max(_FEWEST_PAGES_OF_A_RUNNING_HEAD, len(filled) / 2)
    heads = {line for line, n_pages in edges.items() if n_pages >= fewest}
    for page in filled:
        at_edges = _edges(page)
        for line in page:
            if is_reference_heading(line):
                return
            if not (line in at_edges and _numberless(line) in heads):
                yield line


def _edges(page: list[str]) -> set[str]:
    lines = [line for line in page if line]
    return {lines[0], lines[-1]} if lines else set()


def _numberless(line: str) -> str:
    return re.sub(r"\d+", "", line).strip()


def _joined(paragraph: str, line: str) -> str:
    if _HYPHEN.search(paragraph) and line[:1].islower():
        # a word that has a hyphen already keeps this one: state-of-the-art
        has_another = "-" in paragraph.rsplit(" ", 1)[-1][:-1]
        return (paragraph if has_another else _HYPHEN.sub("", paragraph)) + line
    return f"{paragraph} {line}".strip()


def _ends_paragraph(line: str, following: str, full: int) -> bool:
    if _BULLET.match(following):
        return True
    goes_on = following[:1].islower() and not line.endswith(_SENTENCE_END)
    is_heading = _NUMBERED_HEADING.match(line) is not None
    return len(line) < _SHORT * full and (is_heading or not goes_on)
