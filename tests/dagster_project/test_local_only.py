import asyncio

import pytest

from dagster_project.local_only import LocalOnly

OWN = "127.0.0.1:3000"


def asked(headers=(), method="GET", path="/graphql", query="", kind="http"):
    """The status of an answer, 101 where a websocket is accepted; `inside` when the server was reached."""
    sent, inside = [], []

    async def server(scope, receive, send):
        inside.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in headers]
    scope = {"type": kind, "method": method, "path": path, "query_string": query.encode(), "headers": raw}
    asyncio.run(LocalOnly(server)(scope, receive, send))
    assert bool(inside) == (sent[0].get("status") == 200)
    return sent[0]


def status(host=OWN, origin=None, **request):
    headers = [("host", host)] + ([("origin", origin)] if origin is not None else [])
    return asked(headers, **request)["status"]


@pytest.mark.parametrize("host", [OWN, "localhost:3000", "LocalHost:8080", "[::1]:3000", "localhost"])
def test_this_machine_by_any_of_its_names_is_answered(host):
    assert status(host) == 200
    assert status(host, f"http://{host}".lower(), method="POST") == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:3000", "127.0.0.1.evil.example", "localhost.evil:3000", "10.0.0.1:3000", ""]
)
def test_a_name_that_leads_here_but_is_not_ours_is_refused(host):
    assert status(host) == 403
    assert status(host, f"http://{host}") == 403


def test_no_host_and_two_hosts_are_refused():
    assert asked()["status"] == 403
    assert asked([("host", OWN), ("host", "evil.example")])["status"] == 403


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "", "https://127.0.0.1:3000", "http://127.0.0.1:8000", "http://localhost:3000"],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_page_of_another_origin_is_refused(origin, method):
    assert status(origin=origin, method=method) == 403


@pytest.mark.parametrize(
    ("site", "method", "answer"),
    [
        ("cross-site", "POST", 403),
        ("same-site", "POST", 403),
        ("cross-site", "DELETE", 403),
        ("anything", "POST", 403),
        ("same-origin", "POST", 200),
        ("none", "POST", 200),
        ("cross-site", "GET", 200),
    ],
)
def test_what_a_page_of_another_site_sends_is_refused_without_an_origin_too(site, method, answer):
    assert asked([("host", OWN), ("sec-fetch-site", site)], method=method)["status"] == answer


def test_a_second_origin_hides_nothing():
    headers = [("host", OWN), ("origin", f"http://{OWN}"), ("origin", "http://evil.example")]
    assert asked(headers)["status"] == 403


@pytest.mark.parametrize(
    "query",
    [
        "query=mutation{x}",
        "query=mutation+a{x}+query+b{y}&operationName=a",
        "query={y}&query=mutation{x}",
        "query=%6dutation{x}",
        "query=subscription{x}",
        "query=fragment+f+on+T{x}",
        "query=broken{",
        "query=" + "{a" * 400 + "}" * 400,
        "query=" + "{" + "a+" * 5000 + "}",
    ],
)
def test_a_get_does_nothing_but_read(query):
    assert status(query=query) == 405
    assert status(query=query, method="POST") == 200


@pytest.mark.parametrize("query", ["", "query={version}", "query=query+a{x}+query+b{y}&operationName=b"])
def test_a_get_may_read(query):
    assert status(query=query) == 200


def test_a_websocket_of_another_origin_is_closed_before_it_opens(snapshot):
    foreign = [("host", OWN), ("origin", "http://evil.example")]
    closed = asked(foreign, kind="websocket")
    assert (closed["type"], closed["code"]) == ("websocket.close", 1008)
    assert closed["reason"] == snapshot
    assert asked([("host", OWN), ("origin", f"http://{OWN}")], kind="websocket")["status"] == 200


def test_no_page_may_frame_the_answer():
    assert (b"x-frame-options", b"DENY") in asked([("host", OWN)])["headers"]
