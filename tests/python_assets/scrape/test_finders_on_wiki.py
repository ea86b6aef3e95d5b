import numpy as np
import pytest

from python_assets.embeddings.embedding import load_encoder
from python_assets.errors import SourceError, StudyFileError
from python_assets.scrape.finders import FINDERS, FinderJob
from python_assets.scrape.finders_on_wiki import distinct_words
from python_assets.study.study import Vectors
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import OfflineError, RunContext
from tests.python_assets.scrape.test_wiki_lists import LISTS
from tests.python_assets.scrape.test_wiki_text import MEANINGS
from tests.python_assets.scrape.wiki_server import Article, WikiServer, serving

WORDS = (
    "Italy is a country of Europe. Its capital is Rome, and the Italians eat pasta. Italian wine, italian "
    "oil and Italian cheese are sold abroad. The engine of a car burns fuel in 4 cylinders."
)


@pytest.fixture
def server():
    articles = {
        "Italy": Article(f"<p>{WORDS}</p><table><tr><td>tabular</td></tr></table>", revision=1),
        "List of Italians": Article(LISTS, revision=2),
        "Georgia": Article("", ("Georgia (country)",), is_disambiguation=True, revision=3),
    }
    with serving(WikiServer(articles)) as running:
        yield running


@pytest.fixture
def find(server, make_study, tmp_path, spelling_vectors):
    """Run a finder for the level Italy."""

    def finding(find, may_ask=True, language="en", domain="", given=(), levels=(), **fields):
        scrape = {
            "levels": ["Italy", *levels],
            "keywords": {"Italy": [{"find": find, **fields}, *given]},
            "wiki": {"api": server.api, "contact": "auditor@example.org"},
            "language": language,
        }
        vectors = spelling_vectors(WORDS, LISTS, domain)
        branch = {"branch": {"from": "Italy"}} if levels else {}
        study = make_study({"scrape": scrape, **branch}, domain=domain, embedding=vectors)
        spec = study.prompts.scrape
        run_context = RunContext(Home(tmp_path / "home"), SILENT, may_ask)
        return FINDERS[find](FinderJob(study, spec, "Italy", spec.keywords["Italy"][0], ("f",), run_context))

    return finding


def test_the_words_most_like_the_keyword_are_found_with_their_cosine(find, tmp_path):
    keywords = find("embedding_on_wiki", top_n=4).keywords
    assert keywords[0].keyword == "Italy"
    assert {"Italians", "Italian"} <= {found.keyword for found in keywords}
    encoder = load_encoder(Vectors(vectors=str(tmp_path / "spelling.txt")))
    a, b = encoder.encode(["Italy", keywords[1].keyword]).astype(np.float64)
    assert keywords[1].score == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-6)
    assert {(found.keyword_type, found.provider) for found in keywords} == {("word", "embedding_on_wiki")}


def test_never_fewer_words_than_asked_while_the_page_has_them(find):
    n_words = len(distinct_words([WORDS]))
    assert n_words > 20
    assert [len(find("embedding_on_wiki", top_n=n).keywords) for n in (1, 7, n_words, 500)] == [1, 7, n_words, n_words]


def test_words_that_the_file_gives_are_found_beside_those_asked_for(find):
    words = [one.keyword for one in find("embedding_on_wiki", top_n=4, given=["Italy", "Italian"]).keywords]
    assert len(words) == 4 and not {"Italy", "Italian"} & set(words)
    links = find("hyperlinks_on_wiki", page="List of Italians", top_n=1, given=["Dante"]).keywords
    assert [one.keyword for one in links] != ["Dante"] and len(links) == 1


def test_the_page_is_fetched_once_for_all_finders(find, server):
    find("embedding_on_wiki", top_n=3)
    n_requests = len(server.requests)
    find("embedding_on_wiki", top_n=5, keyword="Rome", page="Italy", may_ask=False)
    assert len(server.requests) == n_requests


def test_words_are_near_to_the_keyword_of_the_finder(find):
    keywords = find("embedding_on_wiki", top_n=3, keyword="engine", page="Italy").keywords
    assert [found.keyword for found in keywords][0] == "engine"


def test_spellings_that_differ_in_case_are_one_word():
    assert distinct_words(["Italian wine and italian oil, Italian art of Italy's coast in 1861 4x4"]) == [
        "Italian",
        "wine",
        "and",
        "oil",
        "art",
        "of",
        "Italy",
        "coast",
        "in",
    ]


def test_words_keep_their_marks_hyphens_and_apostrophes():
    assert distinct_words(["L’Aquila e l'Emilia-Romagna", "é tre\u0301s"]) == [
        "L’Aquila",
        "l'Emilia-Romagna",
        "tre\u0301s",
    ]
    assert distinct_words(["इटली यूरोप में है।"]) == ["इटली", "यूरोप", "में", "है"]


def test_a_language_without_spaces_is_an_error(find, refused):
    with refused(StudyFileError, "prompts.scrape.language"):
        find("embedding_on_wiki", language="ja")


def test_links_are_found_with_their_cosine_most_alike_first(find):
    keywords = find("hyperlinks_on_wiki", page="List of Italians", layout="table").keywords
    assert {found.keyword for found in keywords} == {"Galileo Galilei", "Opera"}
    assert keywords[0].score >= keywords[1].score
    assert {(found.keyword_type, found.provider) for found in keywords} == {("link", "hyperlinks_on_wiki")}


def test_proper_names_alone_are_kept_where_asked(find):
    found = find("hyperlinks_on_wiki", page="List of Italians", layout="nested", names_only=True).keywords
    assert [(one.keyword, one.keyword_type) for one in found] == [("Leonardo da Vinci", "name")]


def test_names_are_told_in_english_alone(find, refused):
    with refused(StudyFileError, "prompts.scrape.language"):
        find("hyperlinks_on_wiki", language="de", names_only=True)


def test_a_page_without_such_links_is_noted(find):
    finding = find("hyperlinks_on_wiki")
    assert finding.keywords == []
    assert "has no bullet links" in finding.notes[0]


def test_words_and_links_of_one_section_alone_are_found(find, server):
    server.articles["Italy"] = Article(f"<p>{WORDS}</p><h2>Fuel of an engine</h2><p>Petrol burns.</p>", revision=1)
    words = find("embedding_on_wiki", section="Fuel of an engine").keywords
    assert {found.keyword for found in words} == {"Petrol", "burns"}
    links = find("hyperlinks_on_wiki", page="List of Italians", section="See also").keywords
    assert [found.keyword for found in links] == ["Spain"]


def test_a_section_that_the_page_lacks_is_an_error_that_lists_those_it_has(find, refused):
    with refused(SourceError, "f.section"):
        find("embedding_on_wiki", page="List of Italians", section="Painters")
    with refused(SourceError, "f.section"):
        find("hyperlinks_on_wiki", section="Painters")


def test_links_of_one_column_are_found(find, server):
    cells = "<td><a href='/wiki/Rome'>Rome</a></td><td><a href='/wiki/Dante'>Dante</a></td>"
    table = f"<table><tr><th>City</th><th>Poet</th></tr><tr>{cells}</tr></table>"
    server.articles["Italy"] = Article(table, revision=1)
    found = find("hyperlinks_on_wiki", layout="table", column="poet").keywords
    assert [one.keyword for one in found] == ["Dante"]


def test_a_column_that_no_table_has_is_an_error_that_lists_those_they_have(find, refused):
    with refused(SourceError, "f.column"):
        find("hyperlinks_on_wiki", page="List of Italians", layout="table", column="Died")
    with refused(SourceError, "f.column"):
        find("hyperlinks_on_wiki", page="List of Italians", section="see  also", layout="table", column="Name")


def test_columns_are_of_tables(find, refused):
    with refused(StudyFileError, "prompts.scrape.keywords.Italy[0]"):
        find("hyperlinks_on_wiki", column="Name")


def test_a_page_far_from_the_domain_is_noted(find):
    assert find("embedding_on_wiki", top_n=1, domain="quantum chemistry").notes[0].startswith("far_from_domain")


def test_a_missing_or_ambiguous_page_is_an_error(find, refused):
    with refused(SourceError, "f"):
        find("embedding_on_wiki", page="Atlantis")
    with refused(SourceError, "f"):
        find("hyperlinks_on_wiki", page="Georgia")


def test_nothing_is_fetched_without_leave(find, refused):
    with refused(OfflineError, "f"):
        find("embedding_on_wiki", may_ask=False)


def test_words_that_name_another_level_or_are_of_the_domain_are_set_aside_and_replaced(find, server):
    text = WORDS.replace("Europe", "Europe, next to the Germans, Germany, the EU and other countries")
    server.articles["Italy"] = Article(f"<p>{text}</p>", revision=1)
    finding = find("embedding_on_wiki", top_n=500, domain="countries of Europe", levels=["Germany", "European Union"])
    assert not {"Germany", "EU", "country", "countries", "Europe"} & {one.keyword for one in finding.keywords}
    assert {(row.record_key, row.rule) for row in finding.quarantined} == {
        ("Italy: Germany", "keyword_of_another_level"),
        ("Italy: EU", "keyword_of_another_level"),
        ("Italy: country", "keyword_of_the_domain"),
        ("Italy: countries", "keyword_of_the_domain"),
        ("Italy: Europe", "keyword_of_the_domain"),
    }
    assert len(find("embedding_on_wiki", top_n=7, domain="countries", levels=["Germany"]).keywords) == 7


def test_a_finder_does_not_search_a_page_of_meanings(find, server, refused):
    server.articles["Italy"] = Article(MEANINGS, revision=1)
    with refused(SourceError, "f"):
        find("embedding_on_wiki")
