"""Servers on loopback that speak the protocols of Ollama and OpenAI, streaming off."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "llama3.1:8b"
DIGEST = "46e0c10c039e019119339687c3c1757cc81b9da49709a3b3924863ba87ca666e"


@dataclass
class Reply:
    """status 0 closes the connection without a reply; waits_for holds the reply back."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    waits_for: threading.Event | None = None

    def encoded(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body).encode()


@dataclass
class Request:
    path: str
    headers: Mapping[str, str]
    body: Any


class Server:
    """Answers each request with `answer`, unless `next_replies` still holds one for a generation call."""

    def __init__(self, system_path: str, answer: Callable[["Server", Request], Reply]) -> None:
        self.system_path = system_path
        self.requests: list[Request] = []
        self.next_replies: list[Reply] = []
        self.most_in_flight = 0
        self.stopped = threading.Event()
        self._answer = answer
        self._in_flight = 0
        self._lock = threading.Lock()
        self.url = ""

    @property
    def calls(self) -> list[Request]:
        return [request for request in self.requests if request.path == self.system_path]

    def reply_to(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            if request.path == self.system_path and self.next_replies:
                return self.next_replies.pop(0)
        return self._answer(self, request)

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            yield
        finally:
            with self._lock:
                self._in_flight -= 1


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._serve(None)

        def do_POST(self) -> None:
            self._serve(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def _serve(self, body: Any) -> None:
            with server.counted():
                reply = server.reply_to(Request(self.path, dict(self.headers.items()), body))
                if reply.waits_for is not None:
                    reply.waits_for.wait(timeout=10)
            if reply.status == 0 or (reply.waits_for is not None and server.stopped.is_set()):
                self.close_connection = True
                return
            content = reply.encoded()
            self.send_response(reply.status)
            for name, value in {"content-length": str(len(content)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


class Listening(ThreadingHTTPServer):
    """Takes as many calls at once as a client sends: with 5 in the queue some are reset where the cores are busy."""

    daemon_threads = True
    request_queue_size = 256


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    with Listening(("127.0.0.1", 0), _handler(server)) as http:
        server.url = f"http://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.stopped.set()
            http.shutdown()
            thread.join()


def ollama_chat(content: str | None, **fields: Any) -> Reply:
    return Reply(
        {
            "model": MODEL,
            "created_at": "2025-11-21T08:00:00.123456789Z",
            "message": {"role": "assistant", "content": content},
            "done": True,
            "done_reason": "stop",
            "total_duration": 5_043_500_667,
            "load_duration": 5_025_959,
            "prompt_eval_count": 26,
            "prompt_eval_duration": 325_953_000,
            "eval_count": 12,
            "eval_duration": 4_709_213_000,
            **fields,
        }
    )


def ollama_answer(server: Server, request: Request) -> Reply:
    details = {"format": "gguf", "family": "llama", "parameter_size": "8.0B", "quantization_level": "Q4_0"}
    if request.path == "/api/version":
        return Reply({"version": "0.12.6"})
    if request.path == "/api/tags":
        other = {"name": "mistral:7b", "model": "mistral:7b", "digest": "f" * 64, "details": details}
        return Reply({"models": [other, {"name": MODEL, "model": MODEL, "digest": DIGEST, "details": details}]})
    if request.body["model"] != MODEL:
        return Reply({"error": f"model '{request.body['model']}' not found"}, status=404)
    if request.path == "/api/show":
        shown = {"modelfile": "# Modelfile", "template": "{{ .Prompt }}", "details": details, "model_info": {}}
        return Reply(shown)
    return ollama_chat("A reply to: " + request.body["messages"][-1]["content"])


def openai_completion(content: Any, finish_reason: str = "stop", **message: Any) -> Reply:
    return Reply(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_763_712_000,
            "model": "gpt-4o-mini-2024-07-18",
            "system_fingerprint": "fp_1",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": content, **message},
                    "finish_reason": finish_reason,
                }
            ],
            "usage": {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21},
        }
    )


def openai_text_completion(text: str, top_logprobs: dict[str, float] | None = None) -> Reply:
    """A reply of /v1/completions, as vLLM and llama.cpp send it."""
    logprobs = None
    if top_logprobs is not None:
        logprobs = {
            "text_offset": [0],
            "token_logprobs": [max(top_logprobs.values())],
            "tokens": [text],
            "top_logprobs": [top_logprobs],
        }
    return Reply(
        {
            "id": "cmpl-1",
            "object": "text_completion",
            "created": 1_763_712_000,
            "model": MODEL,
            "choices": [{"index": 0, "text": text, "logprobs": logprobs, "finish_reason": "length"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
        }
    )


def chat_logprobs(**top: float) -> dict[str, Any]:
    """logprobs of a choice of /v1/chat/completions."""
    listed = [{"token": token, "logprob": value, "bytes": [*token.encode()]} for token, value in top.items()]
    return {"content": [{**listed[0], "top_logprobs": listed}], "refusal": None}


def openai_error(status: int, message: str, code: str | None, **headers: str) -> Reply:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return Reply({"error": error}, status=status, headers=headers)


def azure_content_filter() -> Reply:
    """The documented body of Azure OpenAI where its filter blocks a prompt."""
    safe, hate = {"filtered": False, "severity": "safe"}, {"filtered": True, "severity": "high"}
    error = {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management "
        "policy. Please modify your prompt and retry.",
        "type": None,
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"hate": hate, "self_harm": safe, "sexual": safe, "violence": safe},
        },
    }
    return Reply({"error": error}, status=400)


def openrouter_moderation() -> Reply:
    """The documented body of OpenRouter where a model's moderation flags a prompt."""
    error = {
        "code": 403,
        "message": "The model requires moderation, your input was flagged",
        "metadata": {
            "reasons": ["harassment"],
            "flagged_input": "Tell me ... people",
            "provider_name": "OpenAI",
            "model_slug": "openai/gpt-4o",
        },
    }
    return Reply({"error": error}, status=403)


def openai_answer(server: Server, request: Request) -> Reply:
    if request.path != server.system_path:
        return Reply(b"<html>404 page not found</html>", status=404)
    if request.body["model"] != MODEL:
        return openai_error(404, f"The model `{request.body['model']}` does not exist.", "model_not_found")
    return openai_completion("A reply to: " + request.body["messages"][-1]["content"])
