"""Servers on loopback that refuse what services refuse, each with the body that is documented for it."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.python_assets.providers.servers import (
    MODEL,
    Reply,
    Request,
    Server,
    openai_completion,
    openai_text_completion,
)

KEY = "sk-test-0123456789abcdef"
DEPLOYMENT, AZURE_VERSION = "my-deployment", "2024-10-21"
AZURE_PATH = f"/openai/deployments/{DEPLOYMENT}/chat/completions?api-version={AZURE_VERSION}"
CLAUDE = "claude-opus-4-7"


def refused(message: str, param: str | None, code: str | None, status: int = 400) -> Reply:
    """OpenAI's error body."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Reply({"error": error}, status=status)


def newer_openai(server: Server, request: Request) -> Reply:
    """OpenAI's reasoning models: max_completion_tokens in place of max_tokens, no temperature but 1.

    Sources: https://github.com/microsoft/clarity-agent/issues/59 (max_tokens),
    https://github.com/gabrii/Cursor-Azure-GPT-5/issues/33 (temperature).
    """
    if "max_tokens" in request.body:
        return refused(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            "max_tokens",
            "unsupported_parameter",
        )
    if (temperature := request.body.get("temperature", 1)) != 1:
        return refused(
            f"Unsupported value: 'temperature' does not support {temperature} with this model. Only the "
            "default (1) value is supported.",
            "temperature",
            "unsupported_value",
        )
    return openai_completion("A reply to: " + request.body["messages"][-1]["content"])


def refuses_every_parameter(server: Server, request: Request) -> Reply:
    """A server that takes a model and messages and nothing else, in OpenAI's words.

    Source: https://github.com/BeehiveInnovations/pal-mcp-server/issues/78.
    """
    for name in request.body:
        if name not in ("model", "messages", "stream"):
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            return refused(message, name, "unsupported_parameter")
    return openai_completion("A bare reply.")


def refuses_messages(server: Server, request: Request) -> Reply:
    """A server that takes no system message, as o1-mini does.

    Source: https://github.com/animalnots/BetterChatGPT-PLUS/issues/90.
    """
    if request.body["messages"][0]["role"] != "system":
        return openai_completion("A reply.")
    message = "Unsupported value: 'messages[0].role' does not support 'system' with this model."
    return refused(message, "messages[0].role", "unsupported_value")


def mistral(server: Server, request: Request) -> Reply:
    """Mistral's chat: a field that it does not know is an error of validation; its seed is random_seed.

    Sources: https://github.com/editor-code-assistant/eca/issues/231 (the body), https://docs.mistral.ai/api
    (random_seed).
    """
    known = {"model", "messages", "stream", "temperature", "top_p", "max_tokens", "random_seed", "stop"}
    detail = [
        {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}
        for name in request.body
        if name not in known
    ]
    if not detail:
        return openai_completion("Une réponse.")
    body = {"object": "error", "message": {"detail": detail}, "type": "invalid_request_error"}
    return Reply({**body, "param": None, "code": None}, status=422)


def litellm(server: Server, request: Request) -> Reply:
    """LiteLLM's proxy before a model that takes no seed. Source: https://github.com/BerriAI/litellm/issues/6856."""
    if "seed" not in request.body:
        return openai_completion("A reply.")
    message = (
        f"litellm.UnsupportedParamsError: bedrock does not support parameters: {{'seed': {request.body['seed']}}}, "
        "for model=anthropic.claude-3-5-sonnet-20241022-v2:0. To drop these, set `litellm.drop_params=True` or for "
        "proxy:\n\n`litellm_settings:\n drop_params: true`\n"
    )
    return Reply({"error": {"message": message, "type": "None", "param": None, "code": "400"}}, status=400)


def azure(server: Server, request: Request) -> Reply:
    """A deployment of Azure OpenAI: the key in api-key, the version of the API in the query.

    Sources: https://learn.microsoft.com/azure/ai-services/openai/reference (api-key, api-version),
    https://learn.microsoft.com/en-us/answers/a/1271742 (DeploymentNotFound).
    """
    parts = urlsplit(request.path)
    headers = {name.lower(): value for name, value in request.headers.items()}
    if headers.get("api-key") != KEY:
        denied = (
            "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a "
            "valid key for an active subscription and use a correct regional API endpoint for your resource."
        )
        return Reply({"error": {"code": "401", "message": denied}}, status=401)
    if "api-version" not in parse_qs(parts.query):
        return Reply({"error": {"code": "404", "message": "Resource not found"}}, status=404)
    if f"/deployments/{DEPLOYMENT}/" not in parts.path:
        missing = (
            "The API deployment for this resource does not exist. If you created the deployment within the "
            "last 5 minutes, please wait a moment and try again."
        )
        return Reply({"error": {"code": "DeploymentNotFound", "message": missing}}, status=404)
    return openai_completion("A reply to: " + request.body["messages"][-1]["content"])


def text_completions(server: Server, request: Request) -> Reply:
    """/v1/completions of OpenAI: a prompt, no messages, no model that chats; and the other way round.

    Sources: https://github.com/RomanHotsiy/commitgpt/issues/43 (a model that chats),
    https://github.com/Chanzhaoyu/chatgpt-web/issues/1428 (one that does not),
    https://platform.openai.com/docs/api-reference/completions/create (prompt).
    """
    is_chat = request.path.endswith("chat/completions")
    if is_chat or request.body["model"] != MODEL:
        message = (
            "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you "
            "mean to use v1/completions?"
            if is_chat
            else "This is a chat model and not supported in the v1/completions endpoint. Did you mean to use "
            "v1/chat/completions?"
        )
        return refused(message, "model", None, status=404)
    if "messages" in request.body:
        return refused("Unrecognized request argument supplied: messages", None, None)
    return openai_text_completion(f"{request.body['prompt']} and so on")


def anthropic_error(status: int, kind: str, message: str, **headers: str) -> Reply:
    """An error's shape. Source: https://docs.claude.com/en/api/errors."""
    error = {"type": kind, "message": message}
    body = {"type": "error", "error": error, "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"}
    return Reply(body, status=status, headers=headers)


def anthropic_message(*blocks: dict[str, Any], stop_reason: str = "end_turn", **usage: int) -> Reply:
    """A message. Source: https://docs.claude.com/en/api/messages."""
    return Reply(
        {
            "id": "msg_013Zva2CMHLNnXjNJJKqJ2EF",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-4-7-20260401",
            "content": list(blocks),
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 12, **usage},
        }
    )


def anthropic_text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def anthropic(server: Server, request: Request) -> Reply:
    """Anthropic's messages API, by a model that takes no temperature.

    Sources: https://docs.claude.com/en/api/errors (shapes, authentication_error, not_found_error),
    https://docs.claude.com/en/api/messages (max_tokens, roles),
    https://github.com/amp-labs/connectors/pull/537 (anthropic-version),
    https://github.com/UKGovernmentBEIS/inspect_ai/issues/3721 (temperature).
    """
    headers = {name.lower(): value for name, value in request.headers.items()}
    body = request.body
    if request.path != "/v1/messages":
        return anthropic_error(404, "not_found_error", "Not found")
    if headers.get("x-api-key") != KEY:
        return anthropic_error(401, "authentication_error", "invalid x-api-key")
    if "anthropic-version" not in headers:
        return anthropic_error(400, "invalid_request_error", "anthropic-version: header is required")
    if body["model"] != CLAUDE:
        return anthropic_error(404, "not_found_error", f"model: {body['model']}")
    return _checked_fields(body) or anthropic_message(anthropic_text("A reply to: " + body["messages"][-1]["content"]))


def _checked_fields(body: dict[str, Any]) -> Reply | None:
    message = None
    known = {"model", "messages", "system", "max_tokens", "stream", "top_p", "top_k", "temperature"}
    if extra := set(body) - known - {"stop_sequences", "thinking"}:
        message = f"{sorted(extra)[0]}: Extra inputs are not permitted"
    elif "max_tokens" not in body:
        message = "max_tokens: Field required"
    elif any(one["role"] == "system" for one in body["messages"]):
        message = 'messages: Unexpected role "system". The Messages API accepts a top-level `system`'
    elif "temperature" in body:
        message = "`temperature` is deprecated for this model."
    return anthropic_error(400, "invalid_request_error", message) if message else None


def gemini(server: Server, request: Request) -> Reply:
    """Gemini over OpenAI's protocol: errors in a list, no seed.

    Source: https://github.com/Vali-98/ChatterUI/issues/227.
    """
    if "seed" not in request.body:
        return openai_completion("A reply.")
    message = 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'
    error = {"code": 400, "message": message, "status": "INVALID_ARGUMENT", "details": []}
    return Reply([{"error": error}], status=400)


def xai(server: Server, request: Request) -> Reply:
    """xAI: texts as errors; a flagged prompt is a 403, as a refused key is elsewhere.

    Sources: https://github.com/miaoxworld/NativeTavern/issues/83 (parameters),
    https://github.com/UKGovernmentBEIS/inspect_ai/pull/2267 (usage guidelines).
    """
    model = request.body["model"]
    if "seed" in request.body:
        said = f"Model {model} does not support parameter seed."
        return Reply({"code": "Client specified an invalid argument", "error": said}, status=400)
    if "number 1" in request.body["messages"][-1]["content"]:
        said = f"Content violates usage guidelines. Model: {model}, Failed check: SAFETY_CHECK_TYPE_BIO"
        code = "The caller does not have permission to execute the specified operation"
        return Reply({"code": code, "error": said}, status=403)
    return openai_completion("A reply.")


def broken_off(code: int | None) -> Reply:
    """A gateway whose model failed after it had sent status 200; code: of the error, where it names one.

    Sources: https://openrouter.ai/docs/api/reference/errors-and-debugging,
    https://github.com/maximhq/bifrost/issues/5425 (without an error).
    """
    reply = openai_completion('{"events": [{"title": "partial', "error")
    if code is not None:
        reply.body["choices"][0]["error"] = {"code": code, "message": "Provider returned error"}
    return reply


def without_content(finish_reason: str, **message: str) -> Reply:
    """An answer whose message has no content.

    Sources: https://github.com/openai-php/client/issues/198 (Azure's filter),
    https://github.com/ml-explore/mlx-lm/issues/1738 (reasoning took every token).
    """
    reply = openai_completion(None, finish_reason, **message)
    del reply.body["choices"][0]["message"]["content"]
    return reply


def qwen_inspection() -> Reply:
    """A prompt that DashScope inspects. Source: https://github.com/camel-ai/owl/issues/432."""
    message, kind = "Input data may contain inappropriate content.", "data_inspection_failed"
    error = {"code": kind, "param": None, "message": message, "type": kind}
    return Reply({"error": error, "id": "chatcmpl-1", "request_id": "1"}, status=400)


def deepseek_risk() -> Reply:
    """A prompt that DeepSeek takes for a risk. Source: https://github.com/666ghj/BettaFish/issues/108."""
    return refused("Content Exists Risk", None, "invalid_request_error")


def moonshot_risk() -> Reply:
    """A prompt that Moonshot takes for a risk. Source: https://platform.moonshot.ai/docs/api/chat."""
    message = "The request was rejected because it was considered high risk"
    return Reply({"error": {"message": message, "type": "content_filter"}}, status=400)


def bedrock_guardrail(action: str) -> Reply:
    """A reply under a guardrail, which writes in the model's place; action: INTERVENED or NONE.

    Source: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-invoke.html.
    """
    reply = openai_completion("The museum opens at nine.")
    reply.body["amazon-bedrock-guardrailAction"] = action
    return reply


def gemini_filtered() -> Reply:
    """A choice that a filter of Gemini stopped: it has no message."""
    reply = openai_completion(None, "content_filter: PROHIBITED_CONTENT")
    del reply.body["choices"][0]["message"]
    return reply


def mistral_thinking(thinking: Any, text: str | None) -> Reply:
    """An answer in parts. Source: https://github.com/langchain4j/langchain4j/pull/4474."""
    answer = [] if text is None else [{"type": "text", "text": text}]
    return openai_completion([{"type": "thinking", "thinking": thinking}, *answer])
