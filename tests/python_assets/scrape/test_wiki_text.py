import pytest

from python_assets.scrape.wiki_text import listed_meanings, wiki_paragraphs
from python_assets.texts.sentences import is_whole

ARTICLE = """
<div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr">
<div class="shortdescription nomobile noexcerpt noprint" style="display:none">Country in Europe</div>
<div role="note" class="hatnote">For other uses, see <a href="/wiki/X">Italy</a>.</div>
<table class="infobox"><tbody><tr><th>Capital</th><td>Rome is the capital here.</td></tr></tbody></table>
<p class="mw-empty-elt"></p>
<p><b>Italy</b>, officially the <b>Italian Republic</b>,<sup id="cite_ref-1" class="reference">
<a href="#cite_note-1"><span class="cite-bracket">[</span>1<span class="cite-bracket">]</span></a></sup>
is a country in <a href="/wiki/Europe">Europe</a>.<sup class="noprint Inline-Template">[<i>citation
needed</i>]</sup> It has <a href="/wiki/P">59 million</a> people<sup>[a]</sup> on 3&#215;10<sup>5</sup>
km<sup>2</sup> and drinks H<sub>2</sub>O.</p>
<figure typeof="mw:File/Thumb"><a><img></a><figcaption>Rome at night is a caption.</figcaption></figure>
<div class="thumb"><div class="thumbcaption">An older caption is here.</div></div>
<div class="mw-heading mw-heading2"><h2 id="Name">Name of Italy</h2>
<span class="mw-editsection">[<a href="/e">edit</a>]</span></div>
<p>The area is <span class="mwe-math-element"><math><mi>A</mi></math></span> for Italy.</p>
<ul><li>The first item of the list.
<ul><li>An inner item stands alone.</li></ul></li></ul>
<blockquote><p>A quotation of Dante.</p></blockquote>
<table class="wikitable"><tbody><tr><td>A cell is a sentence.</td></tr></tbody></table>
<div class="mw-heading mw-heading2"><h2 id="References">References</h2></div>
<div class="reflist"><ol class="references"><li>Smith wrote a book about Italy.</li></ol></div>
<div role="navigation" class="navbox">Italy and its neighbours are here.</div>
<style data-mw-deduplicate="x">.a{color:red}</style><!-- NewPP -->
</div>"""


def test_an_article_is_left_with_its_running_text():
    assert wiki_paragraphs(ARTICLE) == [
        "Italy, officially the Italian Republic, is a country in Europe. It has 59 million people on 3×10⁵ "
        "km² and drinks H₂O.",
        "The area is \ufffc for Italy.",
        "The first item of the list.",
        "An inner item stands alone.",
        "A quotation of Dante.",
    ]


def test_a_sentence_with_a_formula_is_not_whole():
    assert not is_whole(wiki_paragraphs(ARTICLE)[1])


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<p>Rom<sup class="reference">[1]</sup> ist eine Stadt.<sup>[Anm. 2]</sup></p>', "Rom ist eine Stadt."),
        ("<p>ローマは首都である<sup>[要出典]</sup>。</p>", "ローマは首都である。"),
        ("<p>रोम इटली की राजधानी है।<sup>[१]</sup></p>", "रोम इटली की राजधानी है।"),
        ('<p>Il dit « [sic] ».</p><div class="bandeau-container homonymie">Voir Rome.</div>', "Il dit « [sic] »."),
    ],
)
def test_marks_of_notes_go_in_any_language(html, text):
    assert wiki_paragraphs(html) == [text]


def test_a_page_without_text_has_no_paragraphs():
    assert wiki_paragraphs("") == []
    assert wiki_paragraphs("<div class='mw-parser-output'></div>") == []


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            '<p>Italy (<small>Italian: </small><span class="IPA nopopups noexcerpt" lang="it-fonipa">'
            "[iˈtaːlja]</span>) is a country.</p>",
            "Italy is a country.",
        ),
        (
            '<p>Rome (<span class="rt-commentedText nowrap"><span class="IPA nopopups" lang="en-fonipa">'
            "/roʊm/</span></span>) is old (and large).</p>",
            "Rome is old (and large).",
        ),
        ('<p>Paris (<span class="API" title="x">[paʁi]</span>) est une ville.</p>', "Paris est une ville."),
        (
            '<p>A flag <span typeof="mw:Error mw:File"><a href="/x"><span class="mw-file-element '
            'mw-broken-media" resource="/File:Lost.svg">File:Lost.svg</span></a></span> is red.</p>',
            "A flag is red.",
        ),
        (
            '<p>A map <a href="/index.php?title=Special:Upload&amp;wpDestFile=Lost.png" class="new" '
            'title="File:Lost.png">File:Lost.png</a> of it.</p>',
            "A map of it.",
        ),
    ],
)
def test_pronunciations_and_names_of_missing_images_are_no_text(html, text):
    assert wiki_paragraphs(html) == [text]


MEANINGS = """
<div class="mw-parser-output"><p><b>Georgia</b> may refer to:</p>
<h2>Places</h2>
<ul><li><a href="/wiki/Georgia_(country)" title="Georgia (country)">Georgia (country)</a>, a country</li>
<li><a href="/wiki/Georgia" title="Georgia">Georgia (U.S. state)</a></li></ul></div>"""


def test_a_page_that_only_lists_meanings_is_told_without_a_mark_of_the_wiki():
    assert listed_meanings(MEANINGS) == ["Georgia (country)", "Georgia (U.S. state)"]
    assert listed_meanings(MEANINGS.replace("</p>", " places.</p><p>It is a name of old.</p>")) == []
    assert listed_meanings(ARTICLE) == []
    assert listed_meanings("<p>Rome is a city.</p>") == []
