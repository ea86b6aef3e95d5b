"""What happens to the next token while a model in this process writes: kept, drawn, or the last.

Belongs here: what the library calls at every token. Scores and tokens are torch tensors, a row a prompt.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import numpy as np

from python_assets.providers.logprobs import likeliest_first

Decode = Callable[[list[int]], str]


class FirstTokens:
    """Keeps the likeliest first tokens of each row, as the model scores them, and changes nothing."""

    def __init__(self, n_tokens: int) -> None:
        """Take how many tokens to keep, 0 for none."""
        self._n_tokens = n_tokens
        self._top: Any = None

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Keep those of the first call."""
        if self._top is None and self._n_tokens:
            likely = scores.double().log_softmax(dim=-1)
            self._top = likely.topk(min(self._n_tokens, scores.shape[-1]), dim=-1)
        return scores

    def likeliest(self, tokenizer: Any, n_rows: int) -> list[dict[str, float] | None]:
        """By token its log probability, a row each; None where none were asked for."""
        if self._top is None:
            return [None] * n_rows
        rows = zip(self._top.indices.tolist(), self._top.values.tolist(), strict=True)
        return [
            likeliest_first((tokenizer.decode([token]), value) for token, value in zip(*row, strict=True))
            for row in rows
        ]


class TokenSampler:
    """Draws the next token of each row by one number of the row's own, and leaves no other."""

    def __init__(self, draws: list[np.random.Generator]) -> None:
        """Take the random numbers of each row."""
        self._draws = draws

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Draw one token a row."""
        import torch

        cumulated = scores.double().softmax(dim=-1).cumsum(dim=-1)
        drawn = torch.tensor([[draw.random()] for draw in self._draws], dtype=torch.float64)
        at = torch.searchsorted(cumulated, drawn.to(scores.device) * cumulated[:, -1:], right=True)
        chosen = at.clamp(max=scores.shape[-1] - 1)
        return torch.full_like(scores, -torch.inf).scatter(1, chosen, 0.0)


class TextStop:
    """Ends each row whose text holds one of the texts that end an answer."""

    def __init__(self, decode: Decode, texts: list[str], n_tokens_in: int) -> None:
        """Take what reads tokens, the texts, and how many tokens stand before the answer."""
        self._decode = decode
        self._texts = texts
        self._n_tokens_in = n_tokens_in

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Tell of each row whether it has ended."""
        import torch

        rows = input_ids[:, self._n_tokens_in :].tolist()
        ended = [any(text in self._decode(row) for text in self._texts) for row in rows]
        return torch.tensor(ended, device=input_ids.device)


def n_up_to(decode: Decode, tokens: list[int], texts: list[str]) -> int:
    """How many tokens there are up to the one that completes the first of the texts, which they hold."""

    def holds_one(n: int) -> bool:
        return any(text in decode(tokens[:n]) for text in texts)

    return bisect_left(range(len(tokens)), True, key=holds_one)
