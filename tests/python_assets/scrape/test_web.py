import gzip
from contextlib import nullcontext
from ipaddress import ip_address

import pytest

from python_assets.errors import SourceError
from python_assets.scrape import fetching
from python_assets.scrape.sources import SOURCES, SourceJob
from python_assets.scrape.web import is_public, leads_inwards, read_web
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from python_assets.warehouse.run_context import OfflineError, RunContext
from tests.python_assets.scrape.wiki_server import BUSY, Answer, serving

PAGE = b"<html><body><h1>Title</h1><p>Italy is a country.</p><p>It has a coast.</p></body></html>"
HTML = {"content-type": "text/html; charset=utf-8"}


class SiteServer:
    """Answers by path, each answer once more often than it is listed."""

    def __init__(self):
        self.answers = {"/page": Answer(200, PAGE, HTML)}
        self.next_answers = []
        self.paths = []
        self.agents = []
        self.url = ""

    def answer(self, path, agent):
        self.paths.append(path)
        self.agents.append(agent)
        if self.next_answers:
            return self.next_answers.pop(0)
        return self.answers.get(path, Answer(404, b"nothing", {"content-type": "text/plain"}))

    def counted(self):
        return nullcontext()


@pytest.fixture
def server():
    with serving(SiteServer()) as running:
        yield running


@pytest.fixture
def read(server, make_study, tmp_path):
    """Read these paths of the server as a source of type web."""

    def reading(*paths, may_ask=True):
        scrape = {
            "levels": ["Italy"],
            "keywords": {"Italy": ["Italy"]},
            "sources": [{"tag": "w", "type": "web", "urls": [f"{server.url}{path}" for path in paths]}],
        }
        study = make_study({"scrape": scrape})
        spec = study.prompts.scrape
        run_context = RunContext(Home(tmp_path / "home"), SILENT, may_ask)
        return read_web(SourceJob(study, spec, spec.sources[0], ("f",), ("Italy",), run_context)).documents

    return reading


def test_the_type_is_registered():
    assert SOURCES["web"] is read_web


def test_a_page_is_left_with_its_running_text(read, server):
    (document,) = read("/page")
    assert document.paragraphs == ("Italy is a country.", "It has a coast.")
    assert document.uri == f"{server.url}/page"
    assert server.paths == ["/robots.txt", "/page"]
    assert all(agent.startswith("Plumbline/") for agent in server.agents)


def test_plain_text_is_parted_by_blank_lines(read, server):
    server.answers["/a.txt"] = Answer(200, b"One.\n\nTwo.", {"content-type": "text/plain"})
    assert read("/a.txt")[0].paragraphs == ("One.", "Two.")


@pytest.mark.parametrize(
    ("rules", "is_open"),
    [
        (b"User-agent: *\nDisallow: /page", False),
        (b"User-agent: Plumbline\nDisallow: /", False),
        (b"User-agent: OtherBot\nDisallow: /", True),
        (b"User-agent: *\nDisallow: /private", True),
        (b"User-agent: *\nAllow: /page\nDisallow: /", True),
        (b"", True),
    ],
)
def test_robots_txt_is_obeyed(read, server, rules, is_open, refused):
    server.answers["/robots.txt"] = Answer(200, rules, {"content-type": "text/plain"})
    if is_open:
        assert read("/page")
        return
    with refused(SourceError, "f.urls"):
        read("/page")
    assert server.paths == ["/robots.txt"]


def test_a_site_that_forbids_its_robots_txt_is_closed(read, server, refused):
    server.answers["/robots.txt"] = Answer(403, b"no")
    with refused(SourceError, "f.urls"):
        read("/page")


def test_robots_txt_is_read_once_a_site(read, server):
    server.answers["/other"] = Answer(200, PAGE, HTML)
    read("/page", "/other")
    assert server.paths == ["/robots.txt", "/page", "/other"]


def test_a_redirect_is_followed_as_far_as_robots_txt_lets(read, server, refused):
    server.answers["/old"] = Answer(301, b"", {"location": "/page#part"})
    assert read("/old")[0].uri == f"{server.url}/page"
    server.answers["/robots.txt"] = Answer(200, b"User-agent: *\nDisallow: /page")
    server.answers["/older"] = Answer(302, b"", {"location": "/page"})
    with refused(SourceError, "f.urls"):
        read("/older")


@pytest.mark.parametrize(
    "location",
    ["/round", "ftp://127.0.0.1/x", "file:///etc/passwd", "http://[127.0.0.1/x", "http://me:secret@127.0.0.1/x"],
)
def test_a_redirect_that_leads_nowhere_is_an_error(read, server, location, refused):
    server.answers["/round"] = Answer(302, b"", {"location": location})
    with refused(SourceError, "f.urls") as raised:
        read("/round")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest",
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://2130706433/",
        "http://0.0.0.0/",
        "http://[64:ff9b::7f00:1]/",
        "http://[64:ff9b::a9fe:a9fe]/169.254",
        "http://[::ffff:10.0.0.1]/",
        "http://[2002:7f00:1::]/",
        "http://[fe80::1]/169.254",
    ],
)
def test_no_public_page_redirects_into_this_machine_or_its_network(target):
    assert leads_inwards("http://8.8.8.8/page", target)
    assert leads_inwards("http://127.0.0.1/page", target) == ("169.254" in target)
    assert not leads_inwards("http://8.8.8.8/page", "http://8.8.4.4/page")


# all of them passed for public once; is_global is True for six
@pytest.mark.parametrize(
    "address",
    [
        "::127.0.0.1",
        "64:ff9b:1::a00:1",
        "::ffff:0:127.0.0.1",
        "fec0::1",
        "192.0.0.192",
        "224.0.0.1",
        "fd00:ec2::254",
        "100.100.100.200",
    ],
)
def test_what_is_not_known_to_be_of_the_internet_is_not_public(address):
    assert not is_public(ip_address(address))
    host = f"[{address}]" if ":" in address else address
    assert leads_inwards("http://8.8.8.8/page", f"http://{host}/")


@pytest.mark.parametrize(
    ("address", "is_one"),
    [
        ("8.8.8.8", True),
        ("2606:4700:4700::1111", True),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::808:808", True),
        ("192.0.1.1", True),
        ("192.0.0.9", False),
        ("2001::1", False),
        ("2002:808:808::1", False),
        ("2a00:1450:4001::1", True),
        ("4000::1", False),
        ("64:ff9b:1:8::808:808", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
    ],
)
def test_an_address_is_public_by_what_it_is_of(address, is_one):
    assert is_public(ip_address(address)) is is_one


@pytest.mark.parametrize("address", ["[fd00:ec2::254]", "100.100.100.200", "192.0.0.192", "[::ffff:100.100.100.200]"])
def test_no_page_of_this_network_redirects_to_where_keys_are_handed_out(address):
    assert leads_inwards("http://127.0.0.1/page", f"http://{address}/")


def test_an_address_with_a_password_is_neither_read_nor_told(read, server, refused):
    server.url = server.url.replace("http://", "http://me:secret@")
    with refused(SourceError, "f.urls") as raised:
        read("/page")
    assert "secret" not in str(raised.value)
    assert server.paths == []


def test_the_robots_txt_is_looked_for_where_it_is_redirected_to(read, server, refused):
    server.answers["/robots.txt"] = Answer(301, b"", {"location": "/rules.txt"})
    server.answers["/rules.txt"] = Answer(200, b"\xef\xbb\xbfUser-agent: *\nDisallow: /page")
    with refused(SourceError, "f.urls"):
        read("/page")
    assert server.paths == ["/robots.txt", "/rules.txt"]


@pytest.mark.parametrize(
    "answer",
    [
        Answer(404, b"", HTML),
        Answer(200, b"%PDF", {"content-type": "application/pdf"}),
        Answer(200, b"x", {}),
        Answer(200, b"<html><script>app()</script></html>", HTML),
    ],
)
def test_what_is_no_page_to_read_is_an_error_with_a_remedy(read, server, answer, refused):
    server.answers["/page"] = answer
    with refused(SourceError, "f.urls"):
        read("/page")


def test_a_page_past_the_bound_is_an_error(read, server, monkeypatch, refused):
    monkeypatch.setattr(fetching, "MOST_BYTES", 50)
    with refused(SourceError, "f.urls"):
        read("/page")


@pytest.mark.parametrize(
    ("content_type", "data"),
    [
        ("text/html; charset=iso-8859-1", "<p>Köln liegt am Rhein.</p>".encode("latin-1")),
        ("text/html", '<meta charset="windows-1252"><p>Köln liegt am Rhein.</p>'.encode("cp1252")),
        ("text/html; charset=nonsense", "<p>Köln liegt am Rhein.</p>".encode()),
        ("text/html; charset=undefined", "<p>Köln liegt am Rhein.</p>".encode()),
    ],
)
def test_a_page_is_decoded_as_the_server_or_the_page_says(read, server, content_type, data):
    server.answers["/page"] = Answer(200, data, {"content-type": content_type})
    assert read("/page")[0].paragraphs == ("Köln liegt am Rhein.",)


def test_bytes_that_are_no_text_are_set_aside(read, server):
    server.answers["/page"] = Answer(200, b"<p>Milan\xff is a city.</p>", HTML)
    (document,) = read("/page")
    assert document.paragraphs == ("Milan is a city.",)
    assert [(part.position, part.data) for part in document.undecodable] == [(8, b"\xff")]


def test_a_busy_site_is_asked_again(read, server):
    server.next_answers = [Answer(404, b""), BUSY]
    assert read("/page")
    assert server.paths == ["/robots.txt", "/page", "/page"]


def test_a_page_is_fetched_once(read, server):
    first = read("/page")
    assert read("/page", may_ask=False) == first
    assert server.paths == ["/robots.txt", "/page"]


def test_nothing_is_fetched_without_leave(read, server, refused):
    with refused(OfflineError, "f.urls"):
        read("/page", may_ask=False)
    assert server.paths == []


def test_an_address_must_be_one(read, server, refused):
    server.url = "file://"
    with refused(SourceError, "f.urls"):
        read("/etc/passwd")


def test_a_page_that_unpacks_to_more_than_is_read_is_refused(read, server, refused):
    packed = gzip.compress(b" " * 2 * fetching.MOST_BYTES, compresslevel=1)
    server.answers["/packed"] = Answer(200, packed, HTML | {"content-encoding": "gzip"})
    with refused(SourceError, "f.urls"):
        read("/packed")


def test_a_page_packed_twice_is_not_unpacked(read, server, refused):
    packed = gzip.compress(gzip.compress(PAGE))
    server.answers["/packed"] = Answer(200, packed, HTML | {"content-encoding": "gzip, gzip"})
    with refused(SourceError, "f.urls"):
        read("/packed")
