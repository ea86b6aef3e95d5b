"""What is sent for a prompt: the role as system message, the prompt within its template as the last user message.

Between them stand the messages that the prompt brings, as they are.
"""

from collections.abc import Sequence
from typing import Final

from python_assets.providers.records import Message, Prompt, RequestTask, SystemConfig

PLACEHOLDER: Final = "{prompt}"

# A question is sent as it is: benchmarks bring their own wording of how to answer.
TEMPLATES: Final[dict[RequestTask, str]] = {
    "completion": (
        "Continue the text below in two or three sentences. "
        "Write only the continuation, without repeating the text.\n\n{prompt}"
    ),
    "question": "{prompt}",
    "inquiry": "{prompt}",
}


def build_messages(prompt: Prompt, config: SystemConfig, continues_text: bool = False) -> list[Message]:
    """Put a prompt into the messages of a generation.

    The template is filled by plain replacement, so braces in a prompt or a template mean nothing else.

    Args:
        prompt: its text and task; a text of None is sent as ''. Its messages stand before the text, and no template
            is put around them.
        config: its system prompt, and its template where it has one.
        continues_text: a base model is asked, which goes on with whatever it reads.

    Returns:
        The system message, unless the system prompt is blank, those of the prompt, and the user message.

    Source: SAGED, appendix C.3 (prompt_template), 5.1 (roles).
    """
    default = PLACEHOLDER if continues_text else TEMPLATES[prompt.task]
    template = config.prompt_template if config.prompt_template is not None else default
    user: Message = {"role": "user", "content": template.replace(PLACEHOLDER, prompt.prompt_text or "")}
    system: Message = {"role": "system", "content": config.system_prompt}
    return [*([system] if config.system_prompt.strip() else []), *prompt.messages, user]


def plain_text(messages: Sequence[Message]) -> str:
    """Messages for a model that has no turns: one text after the other."""
    return "\n\n".join(message["content"] for message in messages)


def estimated_tokens(messages: Sequence[Message]) -> int:
    """About how many tokens messages have: a quarter of their bytes, and a few a message for its role.

    Source: https://help.openai.com/en/articles/4936856 (4 characters of English a token); other scripts have more
    bytes a character, and more tokens.
    """
    return sum(tokens_of_text(message["content"]) + 4 for message in messages)


def tokens_of_text(text: str) -> int:
    """About how many tokens a text has, as estimated_tokens counts."""
    return len(text.encode(errors="replace")) // 4


def template_problem(template: str | None) -> str | None:
    """What a prompt template should be, None where it is; one that is absent is the default of the task."""
    if template is None or template.count(PLACEHOLDER) == 1:
        return None
    return f"a template that holds {PLACEHOLDER} exactly once, not {template.count(PLACEHOLDER)} times"
