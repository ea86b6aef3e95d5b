from python_assets.texts.documents import OMISSION
from python_assets.texts.html import decode_html, html_paragraphs

PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html><html><head><title>Italy title</title><style>Italy {}</style></head>
<body onload="Italy()"><!-- Italy comment --><nav>Italy navigation</nav>
<h1>Italy heading</h1>
<p>Italy has a <a href="/coast">long coast</a> and <b>many</b> har&shy;bours<sup class="reference"><a
href="#n1">[1]</a></sup>.</p>
<p hidden>Italy hidden</p><p style="display: none">Italy not shown</p>
<table><caption>Italy caption</caption><tr><td>Italy cell</td></tr></table>
<figure><img alt="Italy"><figcaption>Italy figure</figcaption></figure>
<ul><li>Italy in a list.</li><li>Italy again,<br>on two lines.</li></ul>
<blockquote>Italy in a quotation.</blockquote>
<pre>Italy in code</pre><p>Italy has <code>code</code> in it.</p>
<p>An area of 5 km<sup>2</sup> &amp; more.</p><p>Unclosed Italy
<div>Italy in a box.<script>document.write("Italy")</script></div>
<h2>See also</h2><ul><li>Italy link.</li></ul><h3>Books</h3><p>Italy book.</p>
<h2>Economy</h2><p>Italy after the references.</p>
<footer>Italy footer</footer></body></html>"""


def test_running_text_is_kept_and_nothing_else():
    assert html_paragraphs(PAGE) == [
        "Italy has a long coast and many har\u00adbours.",
        "Italy in a list.",
        "Italy again, on two lines.",
        "Italy in a quotation.",
        f"Italy has {OMISSION} in it.",
        "An area of 5 km² & more.",
        "Unclosed Italy",
        "Italy in a box.",
        "Italy after the references.",
    ]


def test_a_page_that_is_no_html_is_its_text():
    assert html_paragraphs("a < b & c\n\nsecond") == ["a < b & c second"]
    assert html_paragraphs("") == []


def test_scripts_and_attributes_never_become_text():
    text = '<p onclick="alert(1)">Plain <img src=x onerror="alert(2)">text.</p><script>alert(3)</script>'
    assert html_paragraphs(text) == ["Plain text."]


def test_deeply_nested_pages_are_read():
    assert html_paragraphs("<div>" * 400 + "Deep." + "</div>" * 400) == ["Deep."]


def test_a_page_is_utf8_or_what_it_says_itself():
    assert decode_html("<p>Türkiye</p>".encode()).text == "<p>Türkiye</p>"
    latin = '<meta charset="iso-8859-1"><p>Türkiye</p>'
    assert decode_html(latin.encode("latin-1")).text == latin
    assert decode_html(latin.encode("latin-1")).undecodable == []


def test_what_is_neither_is_left_out_and_told():
    decoded = decode_html(b'<meta charset="no-such-code"><p>T\xfcrkiye</p>')
    assert decoded.text.endswith("<p>Trkiye</p>")
    assert [run.data for run in decoded.undecodable] == [b"\xfc"]


def test_a_page_nested_however_deep_is_read():
    assert html_paragraphs("<div>" * 5000 + "One." + "</div>" * 5000) == ["One."]


def test_what_is_raised_or_lowered_stays_apart_from_the_number_before_it():
    page = "<p>Italy<sup>1</sup> has 3 × 10<sup>6</sup> lakes of H<sub>2</sub>O, the 1<sup>st</sup>.</p>"
    assert html_paragraphs(page) == ["Italy¹ has 3 × 10⁶ lakes of H₂O, the 1st."]


def test_a_page_that_names_an_encoding_that_is_none_loses_its_odd_bytes_alone():
    decoded = decode_html(b'<meta charset="undefined"><p>Rome\xff</p>')
    assert decoded.text.endswith("<p>Rome</p>")
    assert len(decoded.undecodable) == 1
