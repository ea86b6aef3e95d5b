import pytest

from python_assets.study.model_family import UNKNOWN_FAMILY, model_family


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt4", "gpt"),
        ("gpt-4o-mini-2024-07-18", "gpt"),
        ("chatgpt-4o-latest", "gpt"),
        ("openai/gpt-oss-120b", "gpt"),
        ("text-davinci-003", "gpt"),
        ("o3-mini", "gpt"),
        ("anthropic.claude-3-haiku-20240307-v1:0", "claude"),
        ("meta-llama/llama-4-maverick", "llama"),
        ("llama2orig", "llama"),
        ("Meta-Llama-3.1-8B-Instruct-Turbo", "llama"),
        ("mistralguard", "mistral"),
        ("open-mixtral-8x22b", "mistral"),
        ("magistral-small", "mistral"),
        ("mistralai/Ministral-8B", "mistral"),
        ("gemini-1.5-pro", "gemini"),
        ("google/gemma-2-9b-it", "gemma"),
        ("qwen/qwen3-30b-a3b", "qwen"),
        ("qwq:32b", "qwen"),
        ("deepseek/deepseek-chat-v3-0324", "deepseek"),
        ("x-ai/grok-3-mini-beta", "grok"),
        ("thudm/glm-4-32b-0414", "glm"),
        ("command-r-plus", "command"),
        ("phi3:mini", "phi"),
        ("microsoft/Phi-4", "phi"),
        ("01-ai/Yi-34B-Chat", "yi"),
    ],
)
def test_a_name_tells_the_family(model: str, family: str):
    assert model_family(model) == family


@pytest.mark.parametrize("model", ["openrouter/quasar-alpha", "biased", "sophia", "yield-1", "novato", "foo1", "demo3"])
def test_what_only_looks_like_a_family_is_none(model: str):
    assert model_family(model) == UNKNOWN_FAMILY


def test_a_distilled_model_is_of_the_family_that_its_name_begins_with():
    assert model_family("deepseek-ai/DeepSeek-R1-Distill-Llama-70B") == "deepseek"
    assert model_family("tngtech/deepseek-r1t-chimera") == "deepseek"


def test_the_owner_tells_the_family_only_where_the_name_does_not():
    assert model_family("deepseek-ai/r1") == "deepseek"
    assert model_family("mistralai/llama-tuned") == "llama"


def test_no_name_has_no_family():
    assert model_family("") == ""
