"""The running text of a Word file: without headings, captions, tables, contents and references."""

import re
import zlib
from io import BytesIO
from typing import Final
from zipfile import BadZipFile, ZipFile

from python_assets.errors import SourceError
from python_assets.texts.decoding import check_unpacked
from python_assets.texts.headings import Sections

_LEFT_OUT: Final = re.compile(r"(Title|Subtitle|Caption|TOC|toc|Bibliography|List of|Header|Footer|Macro)\b")
_HEADING: Final = re.compile(r"[Hh]eading (\d)")


def docx_paragraphs(data: bytes, name: str) -> list[str]:
    """Paragraphs of a Word file, list items and quotations among them.

    Args:
        data: its bytes.
        name: field and file, for error texts.

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
    except (PackageNotFoundError, BadZipFile, zlib.error, XMLSyntaxError, KeyError, ValueError) as error:
        raise SourceError(
            f"{name} cannot be read as a Word file ({error}). Expected .docx; save it as that, or as text."
        ) from error
    sections = Sections()
    paragraphs = []
    for paragraph in document.paragraphs:
        style = (paragraph.style.name if paragraph.style is not None else None) or ""
        if heading := _HEADING.match(style):
            sections.open(int(heading[1]), paragraph.text)
        elif paragraph.text.strip() and not sections.is_left_out and not _LEFT_OUT.match(style):
            paragraphs.append(paragraph.text)
    if not paragraphs:
        raise SourceError(f"{name} holds no running text. Expected some; fill the file or take it out.")
    return paragraphs
