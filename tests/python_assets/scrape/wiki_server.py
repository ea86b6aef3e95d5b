"""A MediaWiki on loopback: as much of api.php, version 2 of its JSON, as the client asks for."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

LINKS_A_PAGE = 3


@dataclass
class Article:
    """One page; redirect: where it leads. Links are the titles it links to."""

    html: str = ""
    links: tuple[str, ...] = ()
    redirect: str | None = None
    is_disambiguation: bool = False
    revision: int = 1000
    timestamp: str = "2025-03-01T12:00:00Z"


@dataclass
class Answer:
    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


BUSY = Answer(429, {}, {"retry-after": "0"})
LAGGED = Answer(
    200,
    {"error": {"code": "maxlag", "info": "Waiting for 10.0.0.1: 7 seconds lagged.", "lag": 7}},
    {"retry-after": "0"},
)


class WikiServer:
    """Answers from `articles`, unless `next_answers` still holds one."""

    def __init__(self, articles: Mapping[str, Article]) -> None:
        self.articles = dict(articles)
        self.requests: list[dict[str, str]] = []
        self.agents: list[str] = []
        self.next_answers: list[Answer] = []
        self.most_at_once = 0
        self.meeting: threading.Barrier | None = None
        self.url = ""
        self._at_once = 0
        self._lock = threading.Lock()

    @property
    def api(self) -> str:
        return f"{self.url}/w/api.php"

    def actions(self) -> list[str]:
        return [self.kind(options) for options in self.requests]

    @staticmethod
    def kind(options: Mapping[str, str]) -> str:
        if options["action"] == "parse":
            return f"parse {options['oldid']}"
        if "list" in options:
            return f"backlinks {options['bltitle']}"
        if options["prop"] == "links":
            return f"links {options['titles']}"
        return f"titles {options['titles']}"

    def answer(self, path: str, agent: str) -> Answer:
        parts = urlsplit(path)
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        with self._lock:
            self.requests.append(options)
            self.agents.append(agent)
            if self.next_answers:
                return self.next_answers.pop(0)
        if parts.path != "/w/api.php":
            return Answer(404, "not here")
        assert options["format"] == "json"
        assert options["formatversion"] == "2"
        if options["action"] == "parse":
            return Answer(body=self._parse(int(options["oldid"])))
        if "list" in options:
            return Answer(body=self._backlinks(options))
        if options["prop"] == "links":
            return Answer(body=self._links(options))
        return Answer(body=self._titles(options["titles"].split("|")))

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        if self.meeting is not None:
            self.meeting.wait(timeout=10)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1

    def _parse(self, revision: int) -> Any:
        for title, article in self.articles.items():
            if article.revision == revision and article.redirect is None:
                return {"parse": {"title": title, "pageid": 1, "text": article.html}}
        return {"error": {"code": "nosuchrevid", "info": f"There is no revision with ID {revision}."}}

    def _titles(self, titles: list[str]) -> Any:
        normalized = [
            {"fromencoded": False, "from": title, "to": title[0].upper() + title[1:]}
            for title in titles
            if title[0].islower()
        ]
        clean = [title[0].upper() + title[1:] for title in titles]
        leads: dict[str, str] = {}
        ends = [self._followed(title, leads) for title in clean]
        redirects = [{"from": title, "to": to} for title, to in leads.items()]
        pages = [self._page(title) for title in ends if title not in leads]
        query = {"pages": [json.loads(one) for one in dict.fromkeys(json.dumps(page) for page in pages)]}
        if normalized:
            query["normalized"] = normalized
        if redirects:
            query["redirects"] = redirects
        return {"batchcomplete": True, "query": query}

    def _followed(self, title: str, leads: dict[str, str]) -> str:
        seen: set[str] = set()
        while title not in seen and title in self.articles and (to := self.articles[title].redirect):
            seen.add(title)
            leads[title] = to
            title = to
        return title

    def _page(self, title: str) -> Any:
        if title not in self.articles:
            return {"ns": 0, "title": title, "missing": True}
        article = self.articles[title]
        page = {
            "pageid": 1,
            "ns": 0,
            "title": title,
            "canonicalurl": f"{self.url}/wiki/{quote(title.replace(' ', '_'))}",
            "revisions": [{"revid": article.revision, "parentid": 1, "timestamp": article.timestamp}],
        }
        return page | ({"pageprops": {"disambiguation": ""}} if article.is_disambiguation else {})

    def _links(self, options: Mapping[str, str]) -> Any:
        title = options["titles"]
        links, more = self._part(sorted(self.articles[title].links), options.get("plcontinue"))
        found = [{"ns": 0, "title": link} for link in links]
        pages = [{"pageid": 1, "ns": 0, "title": title} | ({"links": found} if found else {})]
        return {"query": {"pages": pages}} | self._continue("plcontinue", more)

    def _backlinks(self, options: Mapping[str, str]) -> Any:
        title = options["bltitle"]
        linking = sorted(name for name, article in self.articles.items() if title in article.links)
        links, more = self._part(linking, options.get("blcontinue"))
        found = [{"pageid": 1, "ns": 0, "title": link} for link in links]
        return {"query": {"backlinks": found}} | self._continue("blcontinue", more)

    def _part(self, titles: list[str], after: str | None) -> tuple[list[str], str | None]:
        first = int(after.partition("|")[2]) if after else 0
        last = first + LINKS_A_PAGE
        return titles[first:last], f"0|{last}" if last < len(titles) else None

    def _continue(self, name: str, more: str | None) -> dict[str, Any]:
        return {"continue": {name: more, "continue": "||"}} if more else {"batchcomplete": True}


def _handler(server: Any) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            with server.counted():
                answer = server.answer(self.path, self.headers["user-agent"])
            content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in {"content-length": str(len(content)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


@contextmanager
def serving(server: Any) -> Iterator[Any]:
    """Serve on loopback until the block ends; anything with url, answer(path, agent) and counted()."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(server)) as http:
        http.daemon_threads = True
        server.url = f"http://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
