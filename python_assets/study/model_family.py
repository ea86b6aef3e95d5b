"""Which family a model is of, by its name: what is known of how well a rule reads one is told of its family."""

import re
from typing import Final

UNKNOWN_FAMILY: Final = "other"

# names that say no more than a version stand whole; others may go on, as in llama2
_FAMILIES: Final = {
    "claude": r"claude",
    "command": r"command(?:[-_ ]?(?:r|a|light|nightly))?(?![a-z])|c4ai",
    "deepseek": r"deep-?seek",
    "falcon": r"falcon",
    "gemini": r"gemini",
    "gemma": r"gemma",
    "glm": r"(?:chat)?glm",
    "gpt": r"(?:chat)?gpt|(?:text-)?davinci|o[134](?![a-z0-9])",
    "granite": r"granite",
    "grok": r"grok",
    "kimi": r"kimi",
    "llama": r"llama",
    "mistral": r"(?:open-)?mi[sx]tral|ministral|codestral|magistral|devstral|pixtral",
    "nova": r"nova(?![a-z])",
    "olmo": r"olmo",
    "phi": r"phi(?![a-z])",
    "qwen": r"qwen|qwq|qvq",
    "yi": r"yi(?![a-z])",
}
_FAMILY: Final = re.compile(
    r"(?<![a-z0-9])(?:" + "|".join(f"(?P<{family}>{names})" for family, names in _FAMILIES.items()) + ")"
)


def model_family(model: str) -> str:
    """The family that the name of a model tells.

    Args:
        model: as a provider names it: claude-3-5-sonnet-20241022, meta-llama/Llama-4-Scout, gpt4.

    Returns:
        The family whose name comes first behind the owner (deepseek for deepseek-r1-distill-llama-8b), else in
        the owner; UNKNOWN_FAMILY where none does, '' for a model without a name.
    """
    owner, _, name = model.lower().rpartition("/")
    family = _FAMILY.search(name) or _FAMILY.search(owner)
    if family is None:
        return UNKNOWN_FAMILY if model else ""
    return str(family.lastgroup)
