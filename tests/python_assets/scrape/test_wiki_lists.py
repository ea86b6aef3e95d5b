"""Pages here are written as MediaWiki renders them; what a column holds is told from its table by eye."""

import pytest

from python_assets.scrape.wiki_lists import column_headers, headings, is_among, keep_section, link_texts
from python_assets.scrape.wiki_text import article

LISTS = """
<div class="mw-parser-output">
<p>See <a href="/wiki/Help:IPA" title="Help:IPA">the help</a>.</p>
<ul>
<li><a href="/wiki/File:X.jpg" title="File:X.jpg">X</a> <a href="/wiki/Dante" title="Dante">Dante</a>,
 a poet of <a href="/wiki/Florence" title="Florence">Florence</a></li>
<li>Painters
 <ul><li><a href="/wiki/Leonardo" title="Leonardo da Vinci">Leonardo da Vinci</a></li>
 <li><a href="/wiki/Painting" title="Painting">Painting</a> in oil</li>
 <li><a href="/wiki/1500" title="1500">1500</a></li></ul></li>
<li><a class="external text" href="https://example.org">A site</a></li>
<li><a href="/wiki/Dante" title="Dante Alighieri">Dante</a> again</li>
</ul>
<table class="wikitable">
<tr><th><a href="/wiki/Name" title="Name">Name</a></th><th>Born</th></tr>
<tr><td>1</td><td><a href="/wiki/Galileo_Galilei" title="Galileo Galilei">Galileo Galilei</a></td></tr>
<tr><td>2</td><td><a href="/wiki/Opera" title="Opera">Opera</a>
 <ul><li><a href="/wiki/Milan" title="Milan">Milan</a></li></ul></td></tr>
</table>
<h2>See also</h2>
<ul><li><a href="/wiki/Spain" title="Spain">Spain</a></li></ul>
<div class="navbox"><ul><li><a href="/wiki/Malta" title="Malta">Malta</a></li></ul></div>
</div>"""


@pytest.mark.parametrize(
    ("layout", "texts"),
    [
        ("bullet", ["Dante", "Leonardo da Vinci"]),
        ("nested", ["Leonardo da Vinci", "Painting"]),
        ("table", ["Galileo Galilei", "Opera"]),
    ],
)
def test_the_first_link_of_each_item_or_row_is_taken(layout, texts):
    assert link_texts(article(LISTS), layout) == texts


def _link(name: str) -> str:
    return f'<a href="/wiki/{name}" title="{name}">{name}</a>'


def _items(*names: str) -> str:
    return "<ul>" + "".join(f"<li>{_link(name)}</li>" for name in names) + "</ul>"


SECTIONS = f"""
<div class="mw-parser-output"><p>Of {_link("Europe")}.</p>{_items("Lead")}
<div class="mw-heading mw-heading2"><h2 id="People">People</h2><span class="mw-editsection">edit</span></div>
{_items("Dante")}
<div class="mw-heading mw-heading3"><h3>Painters of  Rome</h3></div>{_items("Giotto")}
<h3>Notes</h3>{_items("Note")}
<section><h2>Places</h2>{_items("Milan")}<h3>People</h3>{_items("Milanese")}<h3>Rivers</h3>{_items("Po")}</section>
<h2>See also</h2>{_items("Spain")}
</div>"""


@pytest.mark.parametrize(
    ("section", "texts"),
    [
        # both of that name, each to the next heading as high as its own, without the notes below
        ("people", ["Dante", "Giotto", "Milanese"]),
        ("Painters of Rome", ["Giotto"]),
        ("Places", ["Milan", "Milanese", "Po"]),
        ("See also", ["Spain"]),
        ("Notes", ["Note"]),
    ],
)
def test_a_section_ends_with_the_next_heading_as_high_as_its_own(section, texts):
    page = article(SECTIONS)
    keep_section(page, section)
    assert link_texts(page, "bullet") == texts


def test_headings_and_headers_are_told_once_in_order():
    page = article(SECTIONS)
    assert headings(page) == ["People", "Painters of Rome", "Notes", "Places", "Rivers", "See also"]
    assert is_among(" PAINTERS of Rome", headings(page)) and not is_among("Painters", headings(page))
    assert column_headers(article(LISTS)) == ["Name", "Born"]


# City spans two rows of headers and, of Rome, two rows; Life spans Born and Died; a row of all columns parts the table
SPANS = f"""
<table class="wikitable">
<tr><th rowspan="2">City</th><th rowspan="2">Name</th><th colspan="2">Life</th></tr>
<tr><th>Born</th><th>Died</th></tr>
<tr><td rowspan="2">{_link("Rome")}</td><th scope="row">{_link("Nero")}</th><td>37</td><td>{_link("Phaon")}</td></tr>
<tr><td>the poet {_link("Belli")}, after {_link("Porta")}</td><td>{_link("Trastevere")}</td><td>1863</td></tr>
<tr><th colspan="4">The {_link("North")}</th></tr>
<tr><td>{_link("Milan")}</td><td colspan="2">{_link("Manzoni")}</td><td>1873</td></tr>
</table>
<table><tr><td></td><th>Name</th></tr><tr><th>{_link("Umbria")}</th><td>{_link("Francis")}</td></tr></table>
<table><tr><th>Other</th></tr><tr><td>{_link("Elsewhere")}</td></tr></table>"""


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        ("City", ["Rome", "Milan"]),
        ("name", ["Nero", "Belli", "Manzoni", "Francis"]),
        ("Life", ["Phaon", "Trastevere", "Manzoni"]),
        ("Born", ["Trastevere", "Manzoni"]),
        ("Died", ["Phaon"]),
    ],
)
def test_a_cell_stands_under_each_header_that_it_spans(column, texts):
    assert link_texts(article(SPANS), "table", column) == texts
    assert is_among(column, column_headers(article(SPANS)))


def test_spans_that_no_table_has_cost_nothing():
    wide = f'<table><tr><th colspan="999999999">A</th></tr><tr><td rowspan="{"9" * 5000}">{_link("Rome")}</td></tr>'
    assert link_texts(article(f'{wide}<tr><td colspan="-2">{_link("Po")}</td></tr></table>'), "table", "A") == [
        "Rome",
        "Po",
    ]


def test_a_table_that_lays_out_a_page_has_no_columns():
    inner = f"<table><tr><th>Name</th></tr><tr><td>{_link('Dante')}</td></tr></table>"
    page = article(f"<table><tr><th>Name</th></tr><tr><td>{_link('Outside')}{inner}</td></tr></table>")
    assert link_texts(page, "table", "Name") == ["Dante"]
