"""Keys and passwords: where they are sent, and that they are shown and stored nowhere."""

from pathlib import Path

import pytest

from python_assets.errors import ProviderError
from python_assets.providers.addresses import FAILURES_IN_A_ROW
from tests.heard import Heard
from tests.python_assets.providers.conftest import Ask
from tests.python_assets.providers.dialect_servers import KEY
from tests.python_assets.providers.servers import Reply, Server, openai_completion, openai_error


class TestTheKey:
    @pytest.fixture(autouse=True)
    def key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TEST_KEY", KEY + "\n")

    def test_is_sent_to_the_server_and_stored_nowhere(self, openai_server: Server, ask: Ask, log_path: Path) -> None:
        openai_server.next_replies = [openai_error(500, f"echo Bearer {KEY}", None)] * 3
        run = ask(openai_server, 2, api_key_env="TEST_KEY")
        assert openai_server.calls[0].headers["authorization"] == f"Bearer {KEY}"
        assert run.responses[0].error == "http_5xx: HTTP 500 echo Bearer ***"
        assert KEY not in log_path.read_text()
        assert KEY not in repr(run)

    @pytest.mark.parametrize("n_before", range(280, 300, 4))
    def test_is_taken_out_of_an_error_that_is_cut_within_it(
        self, openai_server: Server, ask: Ask, log_path: Path, n_before: int
    ) -> None:
        said = "x" * n_before + KEY
        openai_server.next_replies = [openai_error(500, said, None), Reply(said.encode())]
        ask(openai_server, 2, api_key_env="TEST_KEY", max_retries=0)
        assert KEY[:8] not in log_path.read_text()

    def test_is_taken_out_of_an_answer_that_echoes_it(self, openai_server: Server, ask: Ask, log_path: Path) -> None:
        reply = openai_completion(f"Your key is {KEY}!", finish_reason=KEY)
        reply.body["model"] = f"gpt {KEY}"
        reply.body["choices"][0]["message"]["reasoning"] = f"They sent {KEY}"
        openai_server.next_replies = [reply]
        run = ask(openai_server, 1, api_key_env="TEST_KEY")
        assert run.responses[0].response_text == "Your key is ***!"
        assert KEY not in log_path.read_text() + repr(run)

    def test_is_taken_out_of_what_is_told_of_waits_and_outages(self, openai_server: Server, ask: Ask) -> None:
        wait = openai_error(429, f"wait, {KEY}", None, **{"retry-after": "60"})
        outage = [openai_error(500, f"no more, {KEY}", None) for _ in range(FAILURES_IN_A_ROW)]
        openai_server.next_replies = [openai_completion("first"), wait, *outage]
        heard = Heard()
        ask(openai_server, 40, api_key_env="TEST_KEY", max_retries=0, concurrency=1, progress=heard)
        assert len([line for line in heard.said if "***" in line]) == 2
        assert len(heard.said) == 5 and KEY not in repr(heard.said)

    def test_that_is_a_word_takes_nothing_out_of_answers(
        self, openai_server: Server, ask: Ask, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TEST_KEY", "none")
        openai_server.next_replies = [openai_completion("There is none.")]
        assert ask(openai_server, api_key_env="TEST_KEY").responses[0].response_text == "There is none."

    def test_is_not_quoted_when_it_is_refused(self, openai_server: Server, ask: Ask, refused) -> None:
        openai_server.next_replies = [openai_error(401, f"Incorrect API key: {KEY}", "invalid_api_key")]
        with refused(ProviderError, "system 'asked'") as caught:
            ask(openai_server, 5, api_key_env="TEST_KEY")
        assert KEY not in str(caught.value) and "Incorrect" not in str(caught.value)
        assert len(openai_server.calls) == 1

    def test_that_may_not_be_used_here_is_told_with_the_reason(self, openai_server: Server, ask: Ask, refused) -> None:
        """Source of the body: https://github.com/home-assistant/core/issues/120072."""
        said = f"Country, region, or territory not supported ({KEY})"
        openai_server.next_replies = [openai_error(403, said, "unsupported_country_region_territory")]
        with refused(ProviderError, "system 'asked'"):
            ask(openai_server, 5, api_key_env="TEST_KEY")
        assert len(openai_server.calls) == 1

    def test_is_not_needed_where_the_log_is_complete(
        self, openai_server: Server, ask: Ask, monkeypatch: pytest.MonkeyPatch, refused
    ) -> None:
        ask(openai_server, 2, api_key_env="TEST_KEY")
        monkeypatch.delenv("TEST_KEY")
        assert ask(openai_server, 2, api_key_env="TEST_KEY").n_from_log == 2
        with refused(ProviderError, "generation 'asked': environment variable TEST_KEY (api_key_env)"):
            ask(openai_server, 3, api_key_env="TEST_KEY")

    @pytest.mark.parametrize("value", ["two words", "clé-secrète", "with\x07bell"])
    def test_that_cannot_be_one_is_refused_without_quoting_it(
        self, openai_server: Server, ask: Ask, monkeypatch: pytest.MonkeyPatch, value: str, refused
    ) -> None:
        monkeypatch.setenv("TEST_KEY", value)
        with refused(ProviderError, "generation 'asked': environment variable TEST_KEY (api_key_env)") as caught:
            ask(openai_server, api_key_env="TEST_KEY")
        assert value not in str(caught.value)
        assert not openai_server.calls


def test_no_key_is_sent_where_none_is_named(openai_server: Server, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    ask(openai_server)
    assert "authorization" not in {name.lower() for name in openai_server.calls[0].headers}


def test_a_secret_in_the_address_is_not_shown(openai_server: Server, ask: Ask, refused) -> None:
    with refused(ProviderError, "system 'asked'") as caught:
        ask(openai_server, base_url="http://user:hunter2@127.0.0.1:9/v1", max_retries=0)
    assert "hunter2" not in str(caught.value)


def test_a_query_in_the_address_is_sent_and_stored_nowhere(openai_server: Server, ask: Ask, log_path: Path) -> None:
    secret = "hunter2%2Bhunter2"
    openai_server.system_path += f"?key={secret}"
    said = f"You are hunter2+hunter2, or {secret}."
    openai_server.next_replies = [openai_completion(said), openai_error(500, said, None)]
    run = ask(openai_server, 2, base_url=f"{openai_server.url}/v1?key={secret}", max_retries=0)
    assert [row.response_text for row in run.responses] == ["You are ***, or ***.", None]
    assert "hunter2" not in log_path.read_text() + repr(run)


def test_a_query_in_the_address_is_in_no_log_of_httpx(
    openai_server: Server, ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    openai_server.system_path += "?key=hunter3"
    url = openai_server.url.replace("//", "//user:hunter2@")
    ask(openai_server, base_url=f"{url}/v1?key=hunter3", max_retries=0)
    assert "HTTP Request: POST" in caplog.text
    assert "hunter" not in caplog.text
