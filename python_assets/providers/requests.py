"""What is asked, by content: requests of a generation and their response_id.

Belongs here: the identity of a response. Two rows that would be asked the same share one response_id.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

from python_assets.providers.messages import build_messages
from python_assets.providers.provider import Provider
from python_assets.providers.records import Description, Message, Prompt, Rejected, Request, SystemConfig
from python_assets.providers.transport import shown_url

_NUMBER: Final = "replicate number"  # stands for it; the key replicate comes after all others


class RequestPlan(NamedTuple):
    """All rows of a generation, in the order of the prompts, and records that belong to no prompt."""

    rows: list[Request]
    rejected: list[Rejected]


def canonical_json(value: Any) -> str:
    """JSON that is equal for equal values: sorted keys, no blanks, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)


def sha256_of(value: Any) -> str:
    """The sha256 of a value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def plan_requests(prompts: Sequence[Prompt], provider: Provider, description: Description) -> RequestPlan:
    """Address every (prompt, replicate) of a generation by its content.

    Options and decoding that are None are left out, and so is no wave, so that a new option with default None
    changes no address.

    Args:
        prompts: with distinct prompt_id.
        provider: says which replicates exist and what the answer depends on.
        description: of the model that answers; its digest is part of the address.

    Returns:
        One request a row; rows asked alike have equal response_id.

    Raises:
        ValueError: two prompts have one prompt_id.

    Source: architecture.md, section 5.
    """
    if repeated := [key for key, n in Counter(p.prompt_id for p in prompts).items() if n > 1]:
        raise ValueError(f"prompt_id must be distinct; repeated: {', '.join(repeated[:5])}")
    rows, rejected = provider.rows(prompts)
    fixed = _fixed_part(provider, description)
    requests: list[Request] = []
    for prompt, prompt_rows in groupby(rows, key=itemgetter(0)):
        requests += _requests(provider, fixed, prompt, [replicate for _, replicate in prompt_rows])
    return RequestPlan(requests, rejected)


def _fixed_part(provider: Provider, description: Description) -> dict[str, Any]:
    config: SystemConfig = provider.config
    extension = {} if config.extension is None else {"extension": dict(config.extension.identity)}
    wave = {"in_wave": config.wave} if config.wave else {}
    # an application without a model's name is told from another by its address alone
    is_nameless = provider.asks_server and not config.model
    address = {"address": [*map(shown_url, config.base_urls or (config.base_url,))]} if is_nameless else {}
    return {
        **address,
        **extension,
        **wave,
        "provider": config.provider,
        "model": config.model,
        "model_digest": description.model_digest,
        "decoding": _without_none(config.decoding),
        # What keys by prompt has its options in the digest already.
        "extensions": {} if provider.is_keyed_by_prompt else _without_none(config.options),
    }


def _without_none(options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _requests(
    provider: Provider, fixed: dict[str, Any], prompt: Prompt, replicates: Sequence[int]
) -> Iterator[Request]:
    """The replicates of a prompt, whose identities differ in the number of the replicate alone."""
    messages: list[Message] = build_messages(prompt, provider.config, provider.continues_text)
    identity = {**fixed, "messages": messages}
    if provider.is_keyed_by_prompt:
        identity["prompt"] = [prompt.prompt_id, prompt.root_prompt_id, dict(prompt.factors)]
    # written once a prompt: benchmarks have a million rows. The number stands where sorted keys have it
    before, _, after = canonical_json({**identity, "replicate": _NUMBER}).rpartition(f'"{_NUMBER}"')
    for replicate in replicates:
        identity_json = f"{before}{replicate}{after}"
        yield Request(
            response_id=hashlib.sha256(identity_json.encode()).hexdigest(),
            identity_json=identity_json,
            prompt=prompt,
            replicate=replicate,
            messages=messages,
        )
