from contextlib import suppress
from io import BytesIO
from pathlib import Path

from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, StreamObject

from python_assets.errors import SourceError
from python_assets.texts import pdf
from python_assets.texts.pdf import join_lines, pdf_paragraphs


def pdf_bytes(pages):
    """A PDF file of these pages, each a list of lines, written out by hand."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        content = f"BT /F1 12 Tf 14 TL 50 800 Td {shown} ET"
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    data, offsets = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, start=1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    start = len(data)
    data += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    return data + f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()


FULL = "This line about Italy is as long as every full line of this text is, about so"


def test_lines_are_joined_to_paragraphs_over_pages_without_heads_and_numbers():
    pages = [
        ["Journal of Italy", "1 Introduction", FULL, "and it goes on and ends here.", "A second one", "1"],
        ["Journal of Italy", "that a page break had parted in the middle of a long sentence has har-", "2"],
        ["Journal of Italy", "bours and ends.", "Figure 3: Italy from above.", "References", "Italy. A book."],
    ]
    paragraphs = pdf_paragraphs(pdf_bytes(pages), Path("a.pdf"), "f")
    assert paragraphs == [
        "1 Introduction",
        f"{FULL} and it goes on and ends here.",
        "A second one that a page break had parted in the middle of a long sentence has harbours and ends.",
    ]


def test_a_hyphen_between_parts_of_a_word_stays():
    assert join_lines([["Its state-of-the-", "art harbour and its well-", "Known are."]]) == [
        "Its state-of-the-art harbour and its well- Known are."
    ]


def test_a_list_item_is_a_paragraph_without_its_bullet():
    lines = ["It has three, namely these of which each is rather long:", "• One thing of Italy", "- Another"]
    assert join_lines([lines]) == [lines[0], "One thing of Italy", "Another"]


def test_a_dash_within_a_sentence_stays():
    assert join_lines([["It is one – of three –", "– as they say."]]) == ["It is one – of three – – as they say."]


def test_a_numbered_heading_is_a_paragraph_whatever_follows():
    assert join_lines([["3.3 Calling asn1Coding", f"asn1Coding {FULL}", f"{FULL}."]]) == [
        "3.3 Calling asn1Coding",
        f"asn1Coding {FULL} {FULL}.",
    ]


def test_no_line_is_no_paragraph():
    assert join_lines([[]]) == []


def test_a_file_that_is_no_pdf_is_an_error_that_names_it(refused):
    with refused(SourceError, "f"):
        pdf_paragraphs(b"no pdf at all", Path("a.pdf"), "f")


def test_a_file_of_pictures_is_an_error_that_says_what_to_do(refused):
    with refused(SourceError, "f"):
        pdf_paragraphs(pdf_bytes([[]]), Path("a.pdf"), "f")


def test_a_file_with_a_password_is_an_error(refused):
    writer = PdfWriter()
    writer.append(PdfReader(BytesIO(pdf_bytes([["Italy."]]))))
    writer.encrypt("secret", algorithm="RC4-128")
    data = BytesIO()
    writer.write(data)
    with refused(SourceError, "f"):
        pdf_paragraphs(data.getvalue(), Path("a.pdf"), "f")


def test_no_broken_file_ends_in_another_error():
    whole = pdf_bytes([["Italy has a long coast."], ["It is hilly."]])
    for start in range(0, len(whole) - 6, 3):
        broken = whole[:start] + b"1 0 R " + whole[start + 6 :]
        with suppress(SourceError):
            pdf_paragraphs(broken, Path("a.pdf"), "f")


def test_a_page_that_unpacks_to_more_than_is_read_is_refused(monkeypatch, refused):
    monkeypatch.setattr(pdf, "MOST_PAGE_BYTES", 1_000)
    with refused(SourceError, "f"):
        pdf_paragraphs(pdf_bytes([[FULL] * 20]), Path("a.pdf"), "f")


def test_forms_that_draw_forms_without_end_are_refused(monkeypatch, refused):
    """Form n draws form n + 1 twice: 2^40 in a file of 10 KB."""
    monkeypatch.setattr(pdf, "MOST_DRAWN", 10_000)
    writer = PdfWriter()
    page = writer.add_blank_page(100, 100)
    inner = None
    for _ in range(40):
        form = StreamObject()
        form.update({NameObject("/Type"): NameObject("/XObject"), NameObject("/Subtype"): NameObject("/Form")})
        form[NameObject("/BBox")] = ArrayObject(map(NumberObject, (0, 0, 100, 100)))
        form.set_data(b"/F Do /F Do" if inner else b"BT (Italy) Tj ET")
        form[NameObject("/Resources")] = _drawing(inner)
        inner = writer._add_object(form)
    content = StreamObject()
    content.set_data(b"/F Do")
    page[NameObject("/Contents")] = writer._add_object(content)
    page[NameObject("/Resources")] = _drawing(inner)
    data = BytesIO()
    writer.write(data)
    assert len(data.getvalue()) < 10_000
    with refused(SourceError, "f"):
        pdf_paragraphs(data.getvalue(), Path("a.pdf"), "f")


def _drawing(form):
    forms = DictionaryObject({NameObject("/F"): form} if form else {})
    return DictionaryObject({NameObject("/XObject"): forms})
