from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from python_assets.providers.error_bodies import failure_of_status
from python_assets.providers.failures import FailureKind, ProviderFailure
from python_assets.providers.transport import client_options, is_address, shown_url, typed_failures


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (301, "", "bad_url"),
        (400, '{"error": {"message": "bad"}}', "http_4xx"),
        (400, '{"error": {"code": "content_filter", "message": "no"}}', "content_filter"),
        (400, '{"error": {"code": null, "innererror": {"code": "ResponsibleAIPolicyViolation"}}}', "content_filter"),
        (400, '{"error": {"code": "BadRequest", "innererror": "x"}}', "http_4xx"),
        (400, '{"error": ["content_filter"]}', "http_4xx"),
        (429, '{"error": {"code": "content_filter"}}', "http_429"),
        (400, '{"error": {"code": "invalid_prompt", "message": "Invalid prompt: flagged"}}', "content_filter"),
        (400, '{"error": "Incorrect API key provided: na***ys."}', "unauthorized"),
        (400, '[{"error": {"code": 400, "message": "API key not valid. Please pass"}}]', "unauthorized"),
        (404, '[{"error": {"code": 404, "message": "models/x is not found"}}]', "model_missing"),
        (403, '{"code": "No", "error": "Content violates usage guidelines. Team: t"}', "content_filter"),
        (403, '{"code": "No", "error": "No such team"}', "unauthorized"),
        (400, '{"error": {"code": "data_inspection_failed", "type": "data_inspection_failed"}}', "content_filter"),
        (400, '{"code": "DataInspectionFailed", "message": "Input data may", "request_id": "1"}', "content_filter"),
        (400, '{"error": {"message": "failed: [data_inspection_failed] <400> Input"}}', "content_filter"),
        (400, '{"error": {"message": "Content Exists Risk", "code": "invalid_request_error"}}', "content_filter"),
        (400, '{"detail": "Content Exists Risk"}', "content_filter"),
        (400, '{"error": {"message": "No such field: Content Exists Risk", "code": "x"}}', "http_4xx"),
        (500, '{"error": {"message": "Content Exists Risk"}}', "http_5xx"),
        (400, '{"error": {"code": "BadRequest", "message": "OpenAI\'s content management policy"}}', "content_filter"),
        (400, '{"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全"}}', "content_filter"),
        (400, '{"error": {"message": "considered high risk", "type": "content_filter"}}', "content_filter"),
        (401, "", "unauthorized"),
        (402, "", "quota_exceeded"),
        (403, "", "unauthorized"),
        (403, '{"error": {"code": 403, "message": "no", "metadata": null}}', "unauthorized"),
        (403, '{"error": {"metadata": {"provider_name": "one"}}}', "unauthorized"),
        (403, '{"error": {"metadata": {"reasons": ["hate"], "flagged_input": "x"}}}', "content_filter"),
        (404, '{"error": "model \'x\' not found"}', "model_missing"),
        (404, '{"error": {"message": "No such thing", "code": "model_not_found"}}', "model_missing"),
        (404, "404 page not found", "endpoint_missing"),
        (405, "", "endpoint_missing"),
        (408, "", "timeout"),
        (409, "", "http_5xx"),
        (404, '{"error": {"code": "DeploymentNotFound", "message": "No such thing"}}', "model_missing"),
        (
            404,
            '{"error": {"message": "A chat model and not supported in the v1/completions endpoint."}}',
            "endpoint_missing",
        ),
        (413, "", "unsendable_prompt"),
        (422, "", "http_4xx"),
        (429, "", "http_429"),
        (429, '{"error": {"code": "insufficient_quota"}}', "quota_exceeded"),
        (500, "", "http_5xx"),
        (503, "[1]", "http_5xx"),
        (529, '{"error": null}', "http_5xx"),
    ],
)
def test_a_status_and_its_body_give_the_kind(status: int, body: str, kind: FailureKind) -> None:
    failure = failure_of_status(status, body, {})
    assert failure.kind == kind
    assert failure.message.startswith(f"HTTP {status}")


@pytest.mark.parametrize(
    ("status", "body", "parameter"),
    [
        (400, '{"error": {"code": "unsupported_value", "param": "temperature"}}', "temperature"),
        (400, '{"error": {"code": "unknown_parameter", "param": "seed"}}', "seed"),
        (400, '{"error": {"code": "unsupported_value"}}', None),
        (400, '{"error": {"code": "invalid", "message": "Unsupported parameter: \'top_p\' is not"}}', "top_p"),
        (400, '{"error": {"message": "Unrecognized request argument supplied: seed"}}', "seed"),
        (400, '{"error": {"message": "`temperature` is deprecated for this model."}}', "temperature"),
        (400, '{"error": {"message": "`temperature` may only be set to 1 when thinking is enabled."}}', "temperature"),
        (400, '{"error": {"message": "`top_k` must be unset when thinking is enabled."}}', "top_k"),
        (400, '{"error": {"message": "`top_p` must be greater than or equal to 0.95 or unset when"}}', "top_p"),
        (400, '{"error": {"message": "property \'seed\' is unsupported"}}', "seed"),
        (400, '{"error": "Model grok-4.6 does not support parameter seed."}', "seed"),
        (
            400,
            '[{"error": {"message": "Invalid JSON payload received. Unknown name \\"seed\\": Cannot find field."}}]',
            "seed",
        ),
        (400, "[]", None),
        (400, '{"error": {"message": "seed: Extra inputs are not permitted"}}', "seed"),
        (422, '{"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"]}]}', "seed"),
        (422, '{"detail": [{"type": "missing", "loc": ["body", "seed"]}]}', None),
        (422, '{"detail": [{"type": "extra_forbidden", "loc": ["body"]}]}', None),
        (422, '{"detail": [5], "message": {"detail": "x"}}', None),
        (500, '{"error": {"code": "unsupported_value", "param": "temperature"}}', None),
    ],
)
def test_a_refused_parameter_is_named(status: int, body: str, parameter: str | None) -> None:
    failure = failure_of_status(status, body, {})
    assert failure.parameter == parameter
    assert (failure.kind == "parameter_refused") == (parameter is not None)


@pytest.mark.parametrize(
    ("value", "seconds"), [("3", 3.0), ("0.5", 0.5), ("-4", 0.0), ("soon", None), ("", None), ("nan", 0.0)]
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert failure_of_status(429, "", {"retry-after": value}).retry_after == seconds


def test_retry_after_as_a_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    waited = failure_of_status(429, "", {"retry-after": soon}).retry_after
    assert waited == pytest.approx(100, abs=5)
    assert failure_of_status(429, "", {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}).retry_after == 0.0
    assert failure_of_status(429, "", {}).retry_after is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "2"}, 2.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms"}, 0.12),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1h2m3.5s"}, 3723.5),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "7"}, 7.0),
        ({"x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "7s"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "at noon"}, None),
        ({"x-ratelimit-remaining-tokens": "-1", "x-ratelimit-reset-tokens": "0"}, None),  # Azure's, of what is unknown
        ({"x-ratelimit-reset-requests": "7s"}, None),
    ],
)
def test_other_headers_say_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert failure_of_status(429, "", headers).retry_after == seconds


def test_the_words_of_a_server_are_shortened_and_a_refused_key_is_not_quoted() -> None:
    assert len(failure_of_status(500, "x" * 1_000_000, {}).message) < 400
    assert failure_of_status(401, '{"error": "wrong key sk-1"}', {}).message == "HTTP 401"


def test_an_error_of_our_own_kind_passes() -> None:
    failure = ProviderFailure("http_429", "slow down")
    with pytest.raises(ProviderFailure) as caught, typed_failures():
        raise failure
    assert caught.value is failure


def test_an_error_of_another_nature_passes() -> None:
    with pytest.raises(MemoryError), typed_failures():
        raise MemoryError


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:secret@host:8443/v1?key=secret", "https://***@host:8443/v1?***"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1"),
        (None, "no server"),
    ],
)
def test_an_address_is_shown_without_secrets(url: str | None, shown: str) -> None:
    assert shown_url(url) == shown


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://host", "http://", "http://[::1", "http://host:port", ""])
def test_what_is_no_address(url: str) -> None:
    assert not is_address(url)
    assert is_address("http://[::1]:11434") and is_address("https://host/v1")


def test_a_proxy_is_not_asked_for_a_server_on_this_machine() -> None:
    assert client_options("http://127.0.0.1:11434")["trust_env"] is False
    assert client_options("https://api.example.org/v1")["trust_env"] is True
