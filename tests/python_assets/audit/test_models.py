import pytest

from python_assets.audit.models import asked_models
from python_assets.errors import AuditError

AT_HOME = "http://127.0.0.1:8000/v1"


def test_a_model_of_each_provider_is_asked_at_its_own_address(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-0123456789")
    (tmp_path / "model").mkdir()
    named = ["openai:gpt-5-mini", "anthropic:claude-sonnet-4-5", "ollama:llama3.3", f"transformers:{tmp_path}/model"]
    found = [one.entry for one in asked_models(named)]
    assert [
        (one["name"], one["provider"], one["model"], one.get("base_url"), one.get("api_key_env")) for one in found
    ] == [
        ("gpt_5_mini", "openai", "gpt-5-mini", "https://api.openai.com/v1", "OPENAI_API_KEY"),
        ("claude_sonnet_4_5", "anthropic", "claude-sonnet-4-5", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
        ("llama3_3", "ollama", "llama3.3", "http://127.0.0.1:11434", None),
        (found[3]["name"], "transformers", f"{tmp_path}/model", None, None),
    ]
    assert "sk-0123456789" not in str(found)


def test_a_server_of_ones_own_needs_no_key_unless_one_is_named(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (plain,) = asked_models(["openai:qwen3"], AT_HOME)
    assert (plain.entry["base_url"], "api_key_env" in plain.entry) == (AT_HOME, False)
    with pytest.raises(AuditError, match="MY_KEY is not set"):
        asked_models(["openai:qwen3"], AT_HOME, "MY_KEY")
    monkeypatch.setenv("MY_KEY", "0123456789")
    (own,) = asked_models(["openai:qwen3"], AT_HOME, "MY_KEY")
    assert own.entry["api_key_env"] == "MY_KEY"


@pytest.mark.parametrize(
    ("named", "base_url", "told"),
    [
        (["gpt-5-mini"], None, "expected PROVIDER:NAME"),
        (["openai:"], None, "expected PROVIDER:NAME"),
        (["opnai:gpt-5-mini"], None, "one of anthropic, ollama, openai, simulator, transformers"),
        (["replay:x"], None, "one of anthropic"),
        (["my_model:ask"], None, "functions of your own are written into a study file"),
        (["ollama:!!"], None, "a name with a letter or a digit"),
        (["ollama:a-b", "ollama:a_b"], None, "ollama:a-b, ollama:a_b would all have the name a_b"),
        (["ollama:a", "anthropic:b"], AT_HOME, "expected models of one provider at this address"),
        (["simulator:fair"], AT_HOME, "expected models of one provider"),
        (["openai:gpt-5-mini"], None, "--model openai:gpt-5-mini: OPENAI_API_KEY is not set. Run `export"),
    ],
)
def test_what_cannot_be_asked_is_told(monkeypatch, named, base_url, told):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(AuditError) as caught:
        asked_models(named, base_url)
    assert told in str(caught.value)


def test_without_its_models_a_key_is_not_needed(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert [one.name for one in asked_models(["openai:gpt-5-mini"], is_simulated=True)] == ["gpt_5_mini"]
