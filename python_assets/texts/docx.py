"""The running text of a Word file: without headings, captions, tables, contents and references."""

import re
import zlib
from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from python_assets.errors import SourceError, Where
from python_assets.texts.decoding import check_unpacked
from python_assets.texts.headings import Sections

_LEFT_OUT: Final = re.compile(r"(Title|Subtitle|Caption|TOC|toc|Bibliography|List of|Header|Footer|Macro)\b")
_HEADING: Final = re.compile(r"[Hh]eading (\d)")


def docx_paragraphs(data: bytes, path: Path, field: Where) -> list[str]:
    """Paragraphs of a Word file, list items and quotations among them.

    Args:
        data: its bytes.
        path: where it lies, for error texts.
        field: of the study file that names it, for error texts.

    Returns:
        The text of each paragraph in order; headings and captions are known by their styles.

    Raises:
        SourceError: it is no Word file, unpacks to more than MOST_UNPACKED_BYTES, or holds no text.
    """
    from docx import Document  # slow to import
    from docx.opc.exceptions import PackageNotFoundError
    from lxml.etree import XMLSyntaxError

    try:
        with ZipFile(BytesIO(data)) as packed:
            check_unpacked(packed)
        document = Document(BytesIO(data))
    except (PackageNotFoundError, BadZipFile, zlib.error, XMLSyntaxError, KeyError, RuntimeError, ValueError) as error:
        remedy = "save it as that, or as text"
        raise SourceError(field, f"{path} ({error})", "a Word file (.docx)", remedy) from error
    sections = Sections()
    paragraphs = []
    for paragraph in document.paragraphs:
        style = (paragraph.style.name if paragraph.style is not None else None) or ""
        if heading := _HEADING.match(style):
            sections.open(int(heading[1]), paragraph.text)
        elif paragraph.text.strip() and not sections.is_left_out and not _LEFT_OUT.match(style):
            paragraphs.append(paragraph.text)
    if not paragraphs:
        raise SourceError(field, f"{path} without running text", "some", "fill the file or take it out")
    return paragraphs
