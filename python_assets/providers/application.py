"""Provider http: an application with a JSON of its own, asked and read as the study file says.

Belongs here: filling the request and finding the answer. Nothing of either is ever evaluated.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from python_assets.errors import NOTHING, FieldPath, StudyError
from python_assets.providers.error_bodies import BODY_CHARACTERS
from python_assets.providers.failures import ProviderFailure
from python_assets.providers.http_provider import HttpProvider
from python_assets.providers.messages import PLACEHOLDER
from python_assets.providers.parameters import Parameters
from python_assets.providers.provider import provider
from python_assets.providers.records import Answer, Request, SystemConfig
from python_assets.study.problems import listed, rename_to, unknown_name
from python_assets.study.systems import Decoding

APPLICATION: Final = "http"
REQUEST: Final = "request"
SYSTEM_PROMPT: Final = "{system_prompt}"
_SYSTEM_BEFORE: Final = "{system}"  # its name before it was renamed
MESSAGES_SLOT: Final = "{messages}"
MODEL_SLOT: Final = "{model}"
OF_DECODING: Final = {name: f"{{{name}}}" for name in Decoding.model_fields}
SLOTS: Final = (PLACEHOLDER, SYSTEM_PROMPT, MESSAGES_SLOT, MODEL_SLOT, *OF_DECODING.values())
_OPTIONS: Final = (REQUEST, "answer", "usage", "finish")
_USAGE: Final = ("in", "out")
_PATH: Final = "a path of keys and places in lists, joined by dots: data.replies.0.text"
_REMEDIES: Final = {
    "malformed_response": "correct options.answer, which says where the answer stands in the JSON that comes back",
    "endpoint_missing": "correct base_url, the whole address that requests are posted to",
    "web_page": "correct base_url, the whole address that requests are posted to, at which a page answered",
    "model_missing": "correct base_url, or what options.request says of a model",
    "parameter_refused": "correct options.request",
}


@provider(APPLICATION)
class Application(HttpProvider):
    """One application. options: request, what is posted; answer, usage and finish, where these stand in the reply."""

    own_fields: ClassVar[tuple[str, ...]] = ()
    needs_model: ClassVar[bool] = False

    def __init__(self, config: SystemConfig) -> None:
        super().__init__(config)
        self._request = config.options.get(REQUEST)
        self._slots = frozenset(slots_of(self._request))
        given = {OF_DECODING[name]: name for name in OF_DECODING if config.decoding.get(name) is not None}
        given |= {MODEL_SLOT: "model"} if config.model.strip() else {}
        self._unsent = [name for slot, name in given.items() if slot not in self._slots]
        self._parameters = Parameters((), {}, self._unsent)

    @classmethod
    def problems(cls, config: SystemConfig, factor_levels: Mapping[str, Sequence[str]]) -> list[StudyError]:
        """What keeps this configuration from running; nothing is contacted."""
        errors = super().problems(config, factor_levels)
        if config.base_url is None:
            expected = "the address that requests are posted to"
            errors.append(StudyError(("base_url",), NOTHING, expected, "add base_url: https://..."))
        return errors

    @classmethod
    def _option_problems(cls, options: Mapping[str, Any]) -> Iterator[StudyError]:
        for name in options:
            if name not in _OPTIONS:
                remedy = f"write it within {REQUEST}, or remove it"
                yield unknown_name(("options", name), name, f"an option of provider {APPLICATION}", _OPTIONS, remedy)
        yield from super()._option_problems({name: value for name, value in options.items() if name in _OPTIONS})
        yield from _request_problems(options.get(REQUEST, NOTHING))
        yield from _path_problems(options)

    @property
    def changes(self) -> list[str]:
        """What the study declares and the request does not name."""
        return [f"not sent, as options.{REQUEST} does not name it: {listed(self._unsent)}"] if self._unsent else []

    @property
    def takes_turns(self) -> bool:
        """Whether the request has a place for more than the prompt."""
        return MESSAGES_SLOT in self._slots

    def address(self, path: str) -> str:
        """That of the application as it is written: nothing stands below it."""
        return str(self.config.base_url)

    async def ask(self, request: Request) -> Answer:
        """Post one request."""
        return self.read_reply(await self.ask_server("POST", "", self.payload(request)))

    def payload(self, request: Request) -> Any:
        """What is sent for a request."""
        decoding = dict(self.config.decoding)
        if decoding.get("seed") is not None:
            decoding["seed"] += request.replicate
        system = "\n\n".join(one["content"] for one in request.messages if one["role"] == "system")
        # each message is sent once: those that have a place of their own stand in no list
        others = request.messages[:-1] if PLACEHOLDER in self._slots else request.messages
        values = {
            PLACEHOLDER: request.messages[-1]["content"],
            SYSTEM_PROMPT: system or None,
            MESSAGES_SLOT: [one for one in others if one["role"] != "system" or SYSTEM_PROMPT not in self._slots],
            MODEL_SLOT: self.config.model or None,
            **{slot: decoding.get(name) for name, slot in OF_DECODING.items()},
        }
        return _filled(self._request, values)

    def read_reply(self, reply: Any) -> Answer:
        """The answer that a reply holds; ProviderFailure where it holds none."""
        options = self.config.options
        usage = options.get("usage", {})
        return Answer(
            text=_text(_found(reply, options["answer"]), options["answer"]),
            finish_reason=_found_or_none(reply, options.get("finish")),
            n_tokens_in=_found_or_none(reply, usage.get("in")),
            n_tokens_out=_found_or_none(reply, usage.get("out")),
            context=self.noted({}),
        )

    def remedy(self, kind: str) -> str:
        """What to do, with the option that is likely wrong."""
        return _REMEDIES.get(kind) or super().remedy(kind)


def slots_of(part: Any) -> list[str]:
    """The slots that a request names, each as often as it does; {prompt} may stand within a longer text."""
    if isinstance(part, str):
        return [part] if part in SLOTS else [PLACEHOLDER] * part.count(PLACEHOLDER)
    inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, list) else ()
    return [slot for one in inner for slot in slots_of(one)]


def _filled(part: Any, values: Mapping[str, Any]) -> Any:
    """A request with the values of its slots; what has none is left out, with its key."""
    if isinstance(part, str):
        return values[part] if part in values else part.replace(PLACEHOLDER, values[PLACEHOLDER])
    if isinstance(part, Mapping):
        return {key: _filled(one, values) for key, one in part.items() if not _is_vacant(one, values)}
    return [_filled(one, values) for one in part if not _is_vacant(one, values)] if isinstance(part, list) else part


def _is_vacant(part: Any, values: Mapping[str, Any]) -> bool:
    return isinstance(part, str) and values.get(part, part) is None


def _found(reply: Any, path: str) -> Any:
    """What stands at a path; ProviderFailure, with the keys that are there, where nothing does."""
    steps = path.split(".")
    for depth, step in enumerate(steps):
        if isinstance(reply, dict) and step in reply:
            reply = reply[step]
        elif isinstance(reply, list) and _is_index(step) and int(step) < len(reply):
            reply = reply[int(step)]
        else:
            raise _malformed(f"nothing at {path}: {'.'.join(steps[:depth]) or 'the reply'} {_told_shape(reply)}")
    return reply


def _found_or_none(reply: Any, path: str | None) -> Any:
    """What stands at a path beside the answer, which is not lost where that is absent."""
    try:
        return None if path is None else _found(reply, path)
    except ProviderFailure:
        return None


def _told_shape(part: Any) -> str:
    """What can be found in a part of a reply, without what it holds."""
    if isinstance(part, dict):
        return f"has the keys {listed(part)}" if part else "has no keys"
    return f"is a list of {len(part)}" if isinstance(part, list) else "is neither a mapping nor a list"


def _text(value: Any, path: str) -> str | None:
    """An answer as text, a number or boolean as JSON writes it."""
    if isinstance(value, dict | list):
        raise _malformed(f"no text at {path}, which {_told_shape(value)}")
    return value if isinstance(value, str | None) else json.dumps(value)


def _malformed(words: str) -> ProviderFailure:
    return ProviderFailure("malformed_response", words[:BODY_CHARACTERS])


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit()


def _request_problems(request: Any) -> Iterator[StudyError]:
    where, slots = ("options", REQUEST), slots_of(request)
    if not isinstance(request, dict):
        expected = "a mapping, what is posted as JSON"
        yield StudyError(where, request, expected, f'write it, for example {{question: "{PLACEHOLDER}"}}')
    elif PLACEHOLDER not in slots and MESSAGES_SLOT not in slots:
        yield StudyError(
            where, request, f"{PLACEHOLDER} or {MESSAGES_SLOT} as a value in it", "write where the prompt stands"
        )
    if f'"{_SYSTEM_BEFORE}"' in json.dumps(request, default=str):
        yield StudyError(where, request, f"no {_SYSTEM_BEFORE} as a value in it", rename_to(SYSTEM_PROMPT))
    for slot in (PLACEHOLDER, MESSAGES_SLOT):
        if slots.count(slot) > 1:
            expected = f"{slot} once, not {slots.count(slot)} times"
            yield StudyError(where, request, expected, "keep one place for it")


def _path_problems(options: Mapping[str, Any]) -> Iterator[StudyError]:
    usage = options.get("usage", {})
    if not isinstance(usage, dict) or not set(usage) <= set(_USAGE):
        expected = f"a mapping of {' and '.join(_USAGE)}, where the counts of tokens stand in the reply"
        yield StudyError(("options", "usage"), usage, expected, "correct it")
        usage = {}
    paths: dict[FieldPath, Any] = {("options", "answer"): options.get("answer", NOTHING)}
    paths |= {("options", "finish"): options["finish"]} if "finish" in options else {}
    paths |= {("options", "usage", name): path for name, path in usage.items()}
    for where, path in paths.items():
        if not isinstance(path, str) or not all(path.split(".")):
            yield StudyError(where, path, _PATH, "write it as such, a number alone in quotes")
