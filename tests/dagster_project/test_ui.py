"""`plumbline ui` as it runs, attacked over HTTP and from a page of another origin in a browser."""

import json
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from bench.chromium import CHROMIUM, browser
from dagster_project.ui import StartError, wait_until_up
from tests.sessions import left_of_session

pytestmark = pytest.mark.run
PAUSE = "mutation{setAutoMaterializePaused(paused:true)}"  # what it changes can be asked
STARTS_WITHIN_SECONDS = 600  # on cores that others use, too


@pytest.fixture(scope="module")
def ui(tmp_path_factory):
    """The address of a running UI; it is ended as `make ui` is, by a signal."""
    home = tmp_path_factory.mktemp("ui")
    variables = {"DAGSTER_HOME": str(home / "dagster"), "PLUMBLINE_HOME": str(home / "warehouse")}
    command = [sys.executable, "-m", "python_assets.cli", "ui", "--port", "0"]
    with subprocess.Popen(
        command, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        late = threading.Timer(STARTS_WITHIN_SECONDS, process.kill)
        late.start()
        said = process.stdout.readline()
        late.cancel()
        yield said.split()[2]
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
        assert left_of_session(process.pid) == []


@pytest.fixture
def is_paused(ui):
    def asked():
        reply = httpx.post(f"{ui}/graphql", json={"query": "{instance{autoMaterializePaused}}"}).raise_for_status()
        return reply.json()["data"]["instance"]["autoMaterializePaused"]

    httpx.post(f"{ui}/graphql", json={"query": PAUSE.replace("true", "false")}).raise_for_status()
    assert asked() is False
    return asked


def test_a_program_on_this_machine_is_answered(ui, is_paused):
    httpx.post(f"{ui}/graphql", json={"query": PAUSE}).raise_for_status()
    assert is_paused()


@pytest.mark.parametrize(
    "request_of",
    [
        lambda url: httpx.get(url, params={"query": PAUSE}),
        lambda url: httpx.post(url, params={"query": PAUSE}, headers={"Origin": "http://evil.example"}),
        lambda url: httpx.post(url, json={"query": PAUSE}, headers={"Host": "evil.example"}),
    ],
)
def test_what_a_page_can_make_a_browser_send_changes_nothing(ui, is_paused, request_of):
    assert request_of(f"{ui}/graphql").status_code in (403, 405)
    assert not is_paused()


def test_a_taken_port_is_told_at_once(ui):
    command = [sys.executable, "-m", "python_assets.cli", "ui", "--port", ui.rpartition(":")[2]]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "expected one that is free" in done.stderr and "plumbline ui --port" in done.stderr


class Starting:
    """A server that is not up while it is looked at so often, and then has ended."""

    returncode = 3

    def __init__(self, looks):
        self._looks = looks

    def poll(self):
        self._looks -= 1
        return None if self._looks >= 0 else self.returncode


def test_a_ui_that_is_not_up_is_told_once_and_its_end_is_an_error(tmp_path, capsys, refused, snapshot):
    with refused(StartError, "plumbline ui"):
        wait_until_up(tmp_path / "code", Starting(looks=3), patience=0)
    assert capsys.readouterr().err == snapshot(name="not up")


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """The address of a page that is not the UI's, on another port of this machine."""
    folder = tmp_path_factory.mktemp("foreign")
    (folder / "index.html").write_text("<!doctype html><title>Elsewhere</title>", encoding="utf-8")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format, *arguments):
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()


SOCKET = """new Promise((resolve) => {
    const socket = new WebSocket(%s, "graphql-ws");
    socket.onopen = () => resolve("open"); socket.onerror = () => resolve("refused");
})"""
ATTACKS = """(async () => {
    const url = %s + "?query=" + encodeURIComponent(%s);
    await fetch(url, {method: "POST", mode: "no-cors"}).catch(() => 0);
    await fetch(url, {method: "GET", mode: "no-cors"}).catch(() => 0);
    await new Promise((resolve) => {
        const image = new Image(); image.onload = image.onerror = resolve; image.src = url;
    });
})()"""
FORM = """(() => {
    const form = document.body.appendChild(document.createElement("form"));
    Object.assign(form, {method: "post", action: %s + "?query=" + encodeURIComponent(%s)});
    form.submit();
})()"""


def test_a_foreign_page_in_a_browser_changes_nothing(ui, is_paused, tab, foreign):
    tab.visit(foreign)
    attacked = (json.dumps(f"{ui}/graphql"), json.dumps(PAUSE))
    tab.run(ATTACKS % attacked)
    assert not is_paused()
    assert tab.run(SOCKET % json.dumps(f"{ui}/graphql".replace("http", "ws"))) == "refused"


def test_a_foreign_form_in_a_browser_changes_nothing(ui, is_paused, tab, foreign):
    tab.visit(foreign)
    tab.loads(lambda: tab.run(FORM % (json.dumps(f"{ui}/graphql"), json.dumps(PAUSE))))
    assert f"Origin is '{foreign.rpartition('/')[0]}'" in tab.run("document.body.innerText")
    assert not is_paused()


def test_a_foreign_name_for_this_machine_shows_nothing(ui, tab):
    tab.visit(ui.replace("127.0.0.1", "evil.localhost"))
    assert "Host is 'evil.localhost" in tab.run("document.body.innerText")


def test_the_ui_itself_works_in_a_browser(ui, is_paused, tab):
    tab.visit(ui)
    body = json.dumps(json.dumps({"query": PAUSE}))
    headers = '{"content-type": "application/json"}'
    sent = f"fetch('/graphql', {{method: 'POST', headers: {headers}, body: {body}}}).then((r) => r.status)"
    assert tab.run(sent) == 200
    assert is_paused()
    assert tab.run(SOCKET % json.dumps(f"{ui}/graphql".replace("http", "ws"))) == "open"
