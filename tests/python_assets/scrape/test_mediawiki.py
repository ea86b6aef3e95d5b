import threading
from datetime import datetime

import pytest

from python_assets.errors import SourceError, StudyError
from python_assets.providers.failures import Backoff
from python_assets.scrape import mediawiki
from python_assets.scrape.mediawiki import MediaWiki
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import OfflineError, RunContext
from tests.python_assets.scrape.wiki_server import BUSY, LAGGED, Answer, Article, WikiServer, serving

CONTACT = "auditor@example.org"
AT_ONCE = Backoff(first_seconds=0.0)


@pytest.fixture
def server():
    articles = {
        "Italy": Article("<p>Italy.</p>", ("Rome", "Milan", "Turin", "Naples"), revision=7),
        "Italian Republic": Article(redirect="Italy"),
        "Rome": Article("<p>Rome.</p>", ("Italy",), revision=8),
        "Georgia": Article("<p>Georgia may be:</p>", ("Georgia (country)",), is_disambiguation=True, revision=9),
    }
    with serving(WikiServer(articles)) as running:
        yield running


@pytest.fixture
def open_wiki(server, tmp_path):
    """Open a client of that server."""
    clients = []

    def opened(contact=CONTACT, may_ask=True, api=None):
        run_context = RunContext(Home(tmp_path), SILENT, may_ask)
        clients.append(MediaWiki(api or server.api, contact, run_context, ("sources", 0), AT_ONCE))
        return clients[-1]

    yield opened
    for client in clients:
        client.__exit__(None, None, None)


def test_a_page_comes_with_its_revision_its_time_and_its_address(open_wiki, server):
    wiki = open_wiki()
    entry = wiki.look_up(["Italy"])["Italy"]
    (page,) = wiki.read([entry])
    assert page.html == "<p>Italy.</p>"
    assert (entry.kind, entry.revision) == ("page", "7")
    assert entry.revised_at == datetime(2025, 3, 1, 12)
    assert entry.address == f"{server.url}/wiki/Italy"


def test_titles_lead_over_spellings_and_redirects(open_wiki):
    entries = open_wiki().look_up(["italy", "Italian Republic", "Italy"])
    assert [entry.title for entry in entries.values()] == ["Italy"] * 3


def test_missing_impossible_and_ambiguous_titles_are_told_apart(open_wiki):
    entries = open_wiki().look_up(["Atlantis", "Georgia", "a|b", "[x]", "", "Rome"])
    assert [entry.kind for entry in entries.values()] == [
        "missing",
        "disambiguation",
        "missing",
        "missing",
        "missing",
        "page",
    ]


def test_a_page_is_fetched_once_however_many_titles_lead_to_it(open_wiki, server):
    wiki = open_wiki()
    entries = list(wiki.look_up(["Italy", "Italian Republic", "italy"]).values())
    assert len(wiki.read(entries)) == 3
    assert server.actions().count("parse 7") == 1


def test_what_was_read_once_is_read_from_disk_without_asking(open_wiki, server):
    def read(wiki):
        entries = wiki.look_up(["Italy", "Georgia"])
        return entries, wiki.read([entries["Italy"]]), wiki.links("Italy"), wiki.backlinks("Italy")

    first = read(open_wiki())
    n_requests = len(server.requests)
    assert read(open_wiki(contact=None, may_ask=False)) == first
    assert len(server.requests) == n_requests


def test_a_missing_title_is_asked_again_unless_its_absence_is_taken_as_known(open_wiki, server):
    wiki = open_wiki()
    wiki.look_up(["Later"])
    server.articles["Later"] = Article("x", revision=60)
    assert wiki.look_up(["Later"], again_if_missing=False)["Later"].kind == "missing"
    assert wiki.look_up(["Later"])["Later"].kind == "page"


def test_a_torn_record_is_fetched_again(open_wiki, tmp_path):
    wiki = open_wiki()
    wiki.look_up(["Rome"])
    for file in tmp_path.rglob("*.json"):
        file.write_text('{"title": "Ro', encoding="utf-8")
    assert wiki.look_up(["Rome"])["Rome"].revision == "8"


def test_a_record_names_its_page_and_its_host(open_wiki, server, tmp_path):
    open_wiki().look_up(["Rome"])
    (file,) = tmp_path.rglob("*.json")
    assert file.parent.parent.name == server.url.removeprefix("http://").replace(":", "_")
    assert file.name.startswith("Rome-")


def test_nothing_is_asked_that_may_not_be(open_wiki, server, refused):
    with refused(OfflineError, "sources[0]"):
        open_wiki(may_ask=False).look_up(["Italy"])
    with MediaWiki(server.api, CONTACT, None, ("f",)) as wiki, refused(OfflineError, "f"):
        wiki.links("Italy")
    assert server.requests == []


def test_without_a_contact_nothing_is_asked(open_wiki, server, refused):
    with refused(StudyError, "prompts.scrape.wiki.contact"):
        open_wiki(contact=None).look_up(["Italy"])
    assert server.requests == []


def test_every_request_names_the_program_and_the_contact_and_yields_to_lag(open_wiki, server):
    wiki = open_wiki()
    wiki.read([wiki.look_up(["Italy"])["Italy"]])
    assert all(agent.startswith("Plumbline/") and f"({CONTACT})" in agent for agent in server.agents)
    assert {options["maxlag"] for options in server.requests} == {"5"}


@pytest.mark.parametrize("answer", [BUSY, LAGGED, Answer(503, "busy"), Answer(500, "")])
def test_a_busy_wiki_is_asked_again(open_wiki, server, answer):
    server.next_answers = [answer, answer]
    assert open_wiki().look_up(["Italy"])["Italy"].kind == "page"
    assert len(server.requests) == 3


def test_a_wiki_that_stays_busy_is_an_error_that_says_what_is_kept(open_wiki, server, refused):
    server.next_answers = [BUSY] * 6
    with refused(SourceError, "sources[0]"):
        open_wiki().look_up(["Italy"])


def test_links_are_followed_over_all_parts_of_a_listing(open_wiki, server):
    wiki = open_wiki()
    assert wiki.links("Italy") == ["Milan", "Naples", "Rome", "Turin"]
    assert server.actions() == ["links Italy"] * 2
    server.articles |= {name: Article(links=("Rome",)) for name in "ABCDEF"}
    assert wiki.backlinks("Rome") == ["A", "B", "C", "D", "E", "F", "Italy"]


def test_a_page_with_very_many_links_is_read_up_to_a_bound(open_wiki, server, monkeypatch):
    monkeypatch.setattr(mediawiki, "MOST_LINKS", 4)
    server.articles["Hub"] = Article(links=tuple(f"Page {i:02}" for i in range(30)))
    assert open_wiki().links("Hub") == ["Page 00", "Page 01", "Page 02", "Page 03"]
    assert len(server.requests) == 2


def test_at_most_three_requests_are_under_way_at_once(open_wiki, server):
    server.articles |= {f"P{i}": Article("x", revision=100 + i) for i in range(9)}
    wiki = open_wiki()
    entries = list(wiki.look_up([f"P{i}" for i in range(9)]).values())
    server.meeting = threading.Barrier(3)
    assert len(wiki.read(entries)) == 9
    assert server.most_at_once == 3


def test_an_article_of_a_megabyte_arrives_whole(open_wiki, server):
    text = "<p>" + "A long article. " * 65_536 + "</p>"
    server.articles["Long"] = Article(text, revision=50)
    wiki = open_wiki()
    assert wiki.read([wiki.look_up(["Long"])["Long"]])[0].html == text


def test_more_titles_than_one_request_holds_are_asked_in_parts(open_wiki, server):
    names = [f"T{i}" for i in range(23)]
    server.articles |= {name: Article("x", revision=200 + i) for i, name in enumerate(names)}
    entries = open_wiki().look_up(names)
    assert [entry.title for entry in entries.values()] == names
    assert len(server.requests) == 3


def test_an_address_that_is_no_api_is_an_error(open_wiki, server, refused):
    with refused(SourceError, "sources[0]"):
        open_wiki(api=f"{server.url}/index.php").look_up(["Italy"])


def test_a_refusal_of_the_wiki_is_told(open_wiki, server, refused):
    wiki = open_wiki()
    entry = wiki.look_up(["Rome"])["Rome"]._replace(revision="999")
    with refused(SourceError, "sources[0]"):
        wiki.read([entry])


def test_a_machine_without_a_way_to_the_wiki_gets_an_error(open_wiki, refused):
    with refused(SourceError, "sources[0]"):
        open_wiki(api="http://127.0.0.1:1/w/api.php").look_up(["Italy"])


def test_json_of_something_else_is_no_answer(open_wiki, server, refused):
    server.next_answers = [Answer(200, {"hello": "world"})]
    with refused(SourceError, "sources[0]"):
        open_wiki().look_up(["Italy"])


def test_pages_in_an_older_form_are_an_error_that_says_what_is_needed(open_wiki, server, refused):
    server.next_answers = [Answer(200, {"query": {"pages": {"1": {"title": "Italy"}}}})]
    with refused(SourceError, "sources[0]"), open_wiki() as wiki:
        wiki.look_up(["Italy"])


def test_an_address_shows_letters_of_other_alphabets(open_wiki, server):
    server.articles |= {"日本?": Article("x", revision=70)}
    assert open_wiki().look_up(["日本?"])["日本?"].address == f"{server.url}/wiki/日本%3F"


def test_redirects_in_a_circle_end(open_wiki, server):
    pair = [{"from": "A", "to": "B"}, {"from": "B", "to": "A"}]
    server.next_answers = [Answer(200, {"query": {"redirects": pair}})]
    assert open_wiki().look_up(["A"])["A"].kind == "circle"
