"""Keys and passwords: where a study file may name them, and how a text is shown without them.

Belongs here: what hides a known secret, and what is not accepted in plain sight.
"""

import os
import re
from collections.abc import Collection
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, StrictStr

from python_assets.errors import MASKED
from python_assets.study.base import Expanded, Unfit

LEAST_CHARACTERS: Final = 8  # a shorter key, such as EMPTY for a server on this machine, is a word of answers
API_VERSION: Final = re.compile(r"api-version=(\d{4}-\d\d-\d\d(-preview)?|preview|latest|v1)")  # Azure's
_VARIABLE: Final = re.compile(r"\$\{\w+\}")
_BEFORE_HOST: Final = re.compile(r"(?:[A-Za-z]+://)?([^/?#]*)@")
_VALUELESS: Final = re.compile(r"([^=]+=)?")  # of a query whose values are variables
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # a token of RFC 9110, 5.6.2
_HEADER_VALUE: Final = re.compile(r"([A-Za-z]+ )?\$\{\w+\}")
# what the body says, or how it is packed, is ours to say
_OWN_HEADERS: Final = frozenset(
    {"accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding"}
)
_NAME: Final = re.compile(r"[A-Z_][A-Z0-9_]*")
_LONGEST_WORD: Final = 16  # the name of a variable that is longer has a _ in it; a key need not


def redacted(value: Any, secrets: Collection[str]) -> Any:
    """A text, or every text within lists and mappings, without secrets that it holds or begins at its end.

    Args:
        value: what a server sent, or an error.
        secrets: keys and passwords; those under LEAST_CHARACTERS are left alone.
    """
    if isinstance(value, str):
        for secret in sorted(secrets, key=len, reverse=True):
            value = _without(value, secret) if len(secret) >= LEAST_CHARACTERS else value
        return value
    if isinstance(value, dict):
        return {key: redacted(item, secrets) for key, item in value.items()}
    return [redacted(item, secrets) for item in value] if isinstance(value, list) else value


def _without(text: str, secret: str) -> str:
    """Also without the beginning of a secret that a text was cut within."""
    text = text.replace(secret, MASKED)
    cuts = (n for n in range(len(secret) - 1, LEAST_CHARACTERS - 1, -1) if text.endswith(secret[:n]))
    n_cut = next(cuts, 0)
    return text[:-n_cut] + MASKED if n_cut else text


def _check_address(text: Any) -> Any:
    """Before ${NAME} is replaced: what stands in the file is no secret."""
    if not isinstance(text, str):
        return text
    bare = _VARIABLE.sub("", text)
    before_host = _BEFORE_HOST.match(bare)
    after_path = re.split("[?&#]", bare)[1:]
    is_open = all(_VALUELESS.fullmatch(piece) or API_VERSION.fullmatch(piece) for piece in after_path)
    if (before_host and before_host[1].strip(":")) or not is_open:
        raise Unfit(
            "an address without user, password or query in plain sight",
            "put them into an environment variable and write ${NAME} in their place",
        )
    return text


def _check_variable(name: str) -> str:
    looks_like_name = _NAME.fullmatch(name) and (len(name) <= _LONGEST_WORD or "_" in name)
    if not looks_like_name and name not in os.environ:
        raise Unfit(
            "the name of an environment variable, in capital letters, not the key itself",
            "put the key into one and name it, for example OPENAI_API_KEY",
        )
    return name


def _check_header_name(name: str) -> str:
    if not _HEADER_NAME.fullmatch(name) or name.lower() in _OWN_HEADERS:
        raise Unfit(
            "the name of a header, letters, digits and -, that Plumbline does not write itself", "rename or remove it"
        )
    return name


def _check_header_value(text: Any) -> Any:
    """Before ${NAME} is replaced: a header may be a key, so none stands in the file."""
    if not isinstance(text, str) or not _HEADER_VALUE.fullmatch(text):
        raise Unfit(
            "${NAME} of an environment variable, at most with a word before it as in Bearer ${NAME}",
            "put the value into a variable and write its name",
        )
    return text


ServerAddress = Annotated[Expanded, BeforeValidator(_check_address)]
KeyVariable = Annotated[StrictStr, AfterValidator(_check_variable)]
HeaderName = Annotated[StrictStr, AfterValidator(_check_header_name)]
HeaderValue = Annotated[Expanded, BeforeValidator(_check_header_value)]
