"""What costs nothing is tried before an audit is prepared: address, TLS, key, the model in the server's list."""

import json
import shutil
import socket
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from python_assets.audit.models import asked_models
from python_assets.audit.servers import has_model, model_names, require_servers
from python_assets.errors import AuditError
from python_assets.providers.records import SystemConfig
from python_assets.study_file.load import load_study
from tests.python_assets.providers.servers import Reply, Server, openai_error, serving

KEY = "sk-0123456789abcdef"
LISTED = ["gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-4.1", "o4", "text-embedding-3-small", "whisper-1"]


def listing(*names):
    return Reply({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})


@pytest.fixture
def server():
    """A server whose replies to GET stand in `replies`, by path; 404 for others."""

    def answer(server, request):
        return server.replies.get(request.path, Reply(b"<html>404</html>", status=404))

    with serving(Server("/v1/chat/completions", answer)) as running:
        running.replies = {"/v1/models": listing(*LISTED)}
        yield running


def problem(*models, base_url=None, key=None):
    with pytest.raises(AuditError) as caught:
        require_servers(asked_models(models, base_url, key))
    return str(caught.value)


def test_a_model_that_the_list_lacks_is_told_with_the_nearest_names(server):
    told = problem("openai:gpt-5-mni", base_url=f"{server.url}/v1")
    assert told == (
        f'--model openai:gpt-5-mni: {server.url}/v1 has no model "gpt-5-mni". Nearest names there: '
        "'gpt-5-mini', 'gpt-5-nano', 'gpt-5', 'gpt-4.1', 'text-embedding-3-small'."
    )
    require_servers(asked_models(["openai:gpt-5-mini", "openai:o4"], f"{server.url}/v1"))
    assert [request.path for request in server.requests].count("/v1/models") == 2  # one a call, of two models too


def test_an_alias_that_a_server_resolves_is_no_finding(server):
    server.replies |= {"/v1/models/latest": Reply({"id": "gpt-5-2026-01-01", "object": "model"})}
    require_servers(asked_models(["openai:latest"], f"{server.url}/v1"))


@pytest.mark.parametrize(
    "reply",
    [
        *(Reply(b"<html>no</html>", status=status) for status in (404, 405, 501, 500, 429)),
        Reply(b"<html>a page</html>"),
        Reply(b"hello"),
        Reply({"data": []}),
        Reply([1, 2]),
        Reply({"error": {"message": "no list", "type": "permission_error"}}, status=403),
    ],
    ids=str,
)
def test_a_server_without_a_list_is_no_finding(server, reply):
    server.replies["/v1/models"] = reply
    require_servers(asked_models(["openai:anything"], f"{server.url}/v1"))


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_is_told_and_never_shown(server, monkeypatch, status):
    monkeypatch.setenv("MY_KEY", KEY)
    server.replies["/v1/models"] = openai_error(status, f"Incorrect API key provided: {KEY}", "invalid_api_key")
    told = problem("openai:gpt-5", base_url=f"{server.url}/v1", key="MY_KEY")
    assert told.startswith(f"--model openai:gpt-5: {server.url}/v1 refuses the key in MY_KEY (HTTP {status}")
    assert told.endswith("Put a valid key into MY_KEY.")
    assert KEY not in told
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "Name the variable that holds the key: --api-key-env NAME." in problem(
        "openai:gpt-5", base_url=f"{server.url}/v1"
    )


def test_another_cause_of_a_403_is_not_taken_for_the_key(server):
    server.replies["/v1/models"] = openai_error(403, "Organisation is not verified", "unverified")
    told = problem("openai:gpt-5", base_url=f"{server.url}/v1")
    assert "refuses the call (HTTP 403 Organisation is not verified" in told
    assert "Mend what the server names" in told


def test_each_protocol_is_asked_for_its_own_list(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    server.replies = {
        "/api/tags": Reply({"models": [{"name": "llama3.3:latest", "model": "llama3.3:latest"}]}),
        "/v1/models": Reply({"data": [{"type": "model", "id": "claude-sonnet-4-5-20250929"}]}),
        "/v1/models/claude-sonnet-4-5": Reply({"type": "model", "id": "claude-sonnet-4-5-20250929"}),
    }
    require_servers(asked_models(["ollama:llama3.3"], server.url))
    assert "has no model" in problem("ollama:llama3.3:70b", base_url=server.url)
    require_servers(asked_models(["anthropic:claude-sonnet-4-5"], server.url, "MY_KEY"))
    assert server.requests[-1].headers["x-api-key"] == KEY
    assert "claude-sonnet-4-5-20250929" in problem("anthropic:claude-opus-9", base_url=server.url, key="MY_KEY")


def test_a_server_that_is_not_there_is_told():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{bound.getsockname()[1]}"
        assert problem("openai:m", base_url=f"{address}/v1") == (
            f"--model openai:m: nothing listens at {address}/v1. Start the server, or correct --base-url."
        )
        assert "Start it (ollama serve)" in problem("ollama:m", base_url=address)


def test_a_name_without_an_address_is_told(monkeypatch):
    monkeypatch.delenv("HTTP_PROXY", raising=False)
    monkeypatch.delenv("http_proxy", raising=False)
    told = problem("openai:m", base_url="http://no-such-host.invalid/v1")
    assert told == "--model openai:m: no-such-host.invalid has no address (DNS). Correct --base-url."


def test_what_speaks_no_http_or_no_tls_is_told(server):
    assert "TLS with https://127.0.0.1" in problem("openai:m", base_url=server.url.replace("http", "https"))
    with socket.create_server(("127.0.0.1", 0)) as other:

        def speak():
            with other.accept()[0] as connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")

        thread = threading.Thread(target=speak)
        thread.start()
        told = problem("openai:m", base_url=f"http://127.0.0.1:{other.getsockname()[1]}")
        thread.join()
    assert "ends the connection, or speaks no HTTP" in told


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
def test_a_certificate_that_nobody_trusts_is_told(tmp_path, monkeypatch):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            content = json.dumps({"data": [{"id": "m"}]}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *parts):
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.socket = context.wrap_socket(http.socket, server_side=True)
        http.handle_error = lambda *parts: None
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        told = problem("openai:m", base_url=f"https://127.0.0.1:{http.server_address[1]}/v1")
        http.shutdown()
        thread.join()
    assert "is not trusted (self-signed certificate)" in told
    assert told.endswith("export SSL_CERT_FILE=FILE.")


def test_an_edited_study_is_tried_at_its_own_address(server, packaged, tmp_path):
    text = (packaged / "grants.yml").read_text()
    asked = f"systems: [{{name: m, provider: openai, model: m, base_url: {server.url}/v1}}]\n"
    path = tmp_path / "mine.yml"
    path.write_text(text[: text.index("systems:")] + asked + text[text.index("# What is read.") :])
    with pytest.raises(AuditError) as caught:
        require_servers([], [load_study(path)])
    assert str(caught.value).startswith(f'{path}: system m: {server.url}/v1 has no model "m".')


def test_models_that_no_server_has_are_not_looked_for(tmp_path):
    require_servers(asked_models(["simulator:fair", "transformers:some/model"]))


@pytest.mark.parametrize(
    ("names", "provider", "model"),
    [
        (["a"], "openai", "a"),
        (["llama3.3:latest"], "ollama", "llama3.3"),
        (["models/gemini-2.5-flash"], "openai", "gemini-2.5-flash"),
        (["openai/gpt-5"], "openai", "openai/gpt-5:online"),
        (["openai/*"], "openai", "openai/gpt-5"),
    ],
)
def test_a_model_is_there_by_each_form_of_its_name(names, provider, model):
    assert has_model(names, SystemConfig("m", provider, model))
    assert not has_model(names, SystemConfig("m", provider, "other"))


def test_a_list_of_another_form_has_no_names():
    assert [*map(model_names, ([], {}, {"data": 1}, {"data": [1, {"id": 2}]}, None, "a"))] == [[]] * 6
