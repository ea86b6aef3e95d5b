"""Provider transformers: a causal language model of a folder or of the model hub, in this process.

Belongs here: how it answers. Finding and loading it is causal_models.py, its options options.py.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from python_assets.errors import ProviderError, StudyError
from python_assets.providers.local_models.causal_models import (
    Loaded,
    Place,
    default_device,
    find_folder,
    find_model,
    load_model,
    message_tokens,
)
from python_assets.providers.local_models.next_tokens import Decode, FirstTokens, TextStop, TokenSampler, n_up_to
from python_assets.providers.local_models.options import THREADS, Loading, lacking, loading_of, option_problems
from python_assets.providers.logprobs import FIRST_TOKEN
from python_assets.providers.provider import LocalProvider, provider
from python_assets.providers.reasoning import HARMONY_CHANNEL, HARMONY_TOKENS, REASONING_TAGS
from python_assets.providers.records import Answer, Description, Request, SystemConfig
from python_assets.providers.requests import sha256_of

NO_TOKENS: Final = "unsendable_prompt: the prompt has no tokens for the model to go on from"


class _Written(NamedTuple):
    """The tokens after a prompt, and the likeliest first ones with their log probabilities if asked for."""

    tokens: list[int]
    likeliest: dict[str, float] | None


@provider("transformers")
class Transformers(LocalProvider):
    """One model; concurrency: how many prompts it answers together.

    options: those of options.py. What decoding leaves out is the model's generation_config.json.
    """

    runs_model: ClassVar[bool] = True

    @classmethod
    def problems(cls, config: SystemConfig, factor_levels: Mapping[str, Sequence[str]]) -> list[StudyError]:
        """What keeps this configuration from running on any machine."""
        errors = super().problems(config, factor_levels)
        if not config.model.strip():
            errors.append(StudyError(("model",), config.model, "a folder, or a model of the hub", "name it"))
        return [*errors, *option_problems(config.options)]

    def unready(self) -> ProviderError | None:
        """What this machine lacks of what its options want, or the model, which is not loaded."""
        if lack := lacking(self._loading):
            return lack.at((self._where,))
        try:
            find_folder(*self._named)
        except ProviderError as error:
            return error
        return None

    def describe(self) -> Description:
        """The commit, or the hash of the folder's files; the model is not loaded.

        Raises:
            ProviderError: it is not on this machine.
        """
        written = _read_json(self._place.folder / "config.json")
        options = self.config.options
        details = {"architectures": written.get("architectures")}
        details["dtype"] = written.get("dtype") or written.get("torch_dtype")  # the name until transformers 5
        details = {name: value for name, value in details.items() if value is not None}
        details |= {"threads": self._threads, "device": options.get("device_map") or self._device}
        if (dtype := options.get("dtype", "auto")) != "auto":
            details["dtype"] = dtype
        library = f"transformers {version('transformers')}, torch {version('torch')}"
        return Description(self._place.digest, library, details)

    def batches(self, requests: Sequence[Request]) -> Iterator[Sequence[Request]]:
        """As many as are answered together, of like length, the longest first: they need the most memory."""
        ordered = sorted(requests, key=lambda request: -sum(len(one["content"]) for one in request.messages))
        for start in range(0, len(ordered), self.config.concurrency):
            yield ordered[start : start + self.config.concurrency]

    def answer(self, request: Request) -> Answer:
        """Answer one request."""
        return self.answers([request])[0]

    def answers(self, requests: Sequence[Request]) -> list[Answer]:
        """Answer requests together; each draws random numbers of its own, so that the others do not matter.

        Raises:
            ProviderError: the model cannot be loaded or does not fit into memory, or its chat template
                refuses the messages.
        """
        import torch

        torch.set_num_threads(self._threads)  # every time: other tools of this process set their own
        loaded = load_model(*self._place, self._loading)
        prompts = [message_tokens(loaded.tokenizer, request.messages, self._where) for request in requests]
        wanted = self.config.decoding.get("max_tokens") or loaded.most_tokens
        room = [min(wanted, (loaded.n_positions or math.inf) - len(tokens)) for tokens in prompts]
        answers = {i: _too_long(loaded, prompts[i]) for i, left in enumerate(room) if left < 1}
        answers |= {i: Answer(None, error=NO_TOKENS) for i, tokens in enumerate(prompts) if not tokens}
        # a row that must stop early would stop the others with it
        whole = [i for i, left in enumerate(room) if left == wanted and i not in answers]
        alone = [[i] for i, left in enumerate(room) if left < wanted and i not in answers]
        for rows in [whole, *alone] if whole else alone:
            draws = [self._draw(requests[i]) for i in rows]
            written = self._write(loaded, [prompts[i] for i in rows], int(room[rows[0]]), draws)
            answers |= {i: self._answer(loaded, one, len(prompts[i])) for i, one in zip(rows, written, strict=True)}
        return [answers[i] for i in range(len(requests))]

    def _answer(self, loaded: Loaded, written: _Written, n_tokens_in: int) -> Answer:
        """The text up to the first token that ends it, which is counted, or to a text that does."""
        tokens = written.tokens
        ends = [i for i, token in enumerate(tokens) if token in loaded.stops]
        answer_tokens = tokens[: ends[0]] if ends else tokens
        decode = self._decoder(loaded)
        text = decode(answer_tokens)
        n_tokens = len(answer_tokens) + bool(ends)
        if cuts := [at for stop in self._stop_texts if (at := text.find(stop)) >= 0]:
            text, n_tokens = text[: min(cuts)], n_up_to(decode, answer_tokens, self._stop_texts)
        return Answer(
            text=text,
            finish_reason="stop" if ends or cuts else "length",
            n_tokens_in=n_tokens_in,
            n_tokens_out=n_tokens,
            context={FIRST_TOKEN: written.likeliest} if written.likeliest else None,
        )

    def _decoder(self, loaded: Loaded) -> Decode:
        unread = _control_tokens(loaded.tokenizer, self.config.reasoning_tags)
        return lambda tokens: str(loaded.tokenizer.decode([one for one in tokens if one not in unread]))

    @property
    def _stop_texts(self) -> list[str]:
        return list(self.config.options.get("stop", []))

    @property
    def _threads(self) -> int:
        return int(self.config.options.get("threads", THREADS))

    @property
    def _loading(self) -> Loading:
        return loading_of(self.config.options)

    @cached_property
    def _device(self) -> str:
        return self.config.options.get("device") or default_device()

    @property
    def _where(self) -> str:
        return f"system {self.config.system_id!r}: model {self.config.model!r}"

    @cached_property
    def _place(self) -> Place:
        return find_model(*self._named)

    @property
    def _named(self) -> tuple[Path, str, str | None, str]:
        """What find_model takes."""
        config = self.config
        return config.folder, config.model, config.options.get("revision"), self._where

    def _draw(self, request: Request) -> np.random.Generator:
        """Random numbers of one request: of the seed, the replicate and what is asked, nothing else."""
        seed = self.config.decoding.get("seed")
        if seed is None:
            return np.random.default_rng()
        return np.random.default_rng(int(sha256_of([seed + request.replicate, request.messages]), 16))

    def _write(
        self, loaded: Loaded, prompts: list[list[int]], most: int, draws: list[np.random.Generator]
    ) -> list[_Written]:
        """What is written after each prompt, padded on the left; tokens after its end included."""
        import torch

        width = max(map(len, prompts))
        device = loaded.model.device
        padding = [[loaded.stops[0] if loaded.stops else 0] * (width - len(tokens)) for tokens in prompts]
        tokens = [pad + prompt for pad, prompt in zip(padding, prompts, strict=True)]
        mask = [[0] * len(pad) + [1] * len(prompt) for pad, prompt in zip(padding, prompts, strict=True)]
        first = FirstTokens(self.config.options.get("top_logprobs", 0))
        try:
            with torch.inference_mode():
                written = loaded.model.generate(
                    input_ids=torch.tensor(tokens, device=device),
                    attention_mask=torch.tensor(mask, device=device),
                    do_sample=False,  # what draws is the last of the processors
                    num_beams=1,  # a generation_config.json may say more, which draw nothing
                    max_new_tokens=most,
                    eos_token_id=loaded.stops or None,
                    pad_token_id=loaded.stops[0] if loaded.stops else 0,
                    logits_processor=[first, *self._processors(loaded, draws)],
                    stopping_criteria=self._stopping(loaded, width),
                )
        except torch.OutOfMemoryError as error:
            got = f"{len(prompts)} prompts of up to {width} tokens"
            expected = "as many as fit into memory"
            raise ProviderError(self._where, got, expected, "lower concurrency") from error
        rows: list[list[int]] = written[:, width:].tolist()
        return [
            _Written(tokens, likeliest)
            for tokens, likeliest in zip(rows, first.likeliest(loaded.tokenizer, len(rows)), strict=True)
        ]

    def _stopping(self, loaded: Loaded, width: int) -> Any:
        from transformers import StoppingCriteriaList

        texts = self._stop_texts
        return StoppingCriteriaList([TextStop(self._decoder(loaded), texts, width)] if texts else [])

    def _processors(self, loaded: Loaded, draws: list[np.random.Generator]) -> Any:
        """What happens to the scores of the next token, in the library's order; the last draws it."""
        from transformers import (
            LogitsProcessorList,
            MinPLogitsWarper,
            TemperatureLogitsWarper,
            TopKLogitsWarper,
            TopPLogitsWarper,
        )

        defaults, decoding = loaded.model.generation_config, self.config.decoding
        temperature = decoding.get("temperature")
        if temperature is None:
            temperature = (defaults.temperature or 1.0) if defaults.do_sample else 0.0
        processors = LogitsProcessorList()
        if temperature == 0:
            return processors
        processors.append(TemperatureLogitsWarper(float(temperature)))
        if top_k := self.config.options.get("top_k", defaults.top_k):
            processors.append(TopKLogitsWarper(top_k))
        if top_p := decoding.get("top_p") or defaults.top_p:
            processors.append(TopPLogitsWarper(float(top_p)))
        if defaults.min_p:
            processors.append(MinPLogitsWarper(float(defaults.min_p)))
        processors.append(TokenSampler(draws))
        return processors


def _control_tokens(tokenizer: Any, tags: Mapping[str, str]) -> set[int]:
    """The tokens that are no text; of those that mark reasoning the text is needed to tell it."""
    marks = [*REASONING_TAGS.items(), *tags.items()]
    written = {mark for pair in marks for mark in pair}
    named = dict(zip(tokenizer.all_special_tokens, tokenizer.all_special_ids, strict=True))
    if HARMONY_CHANNEL in named:
        written |= HARMONY_TOKENS
    return {number for token, number in named.items() if not any(token in mark for mark in written)}


def _too_long(loaded: Loaded, prompt: list[int]) -> Answer:
    return Answer(None, error=f"too_long: the prompt has {len(prompt)} tokens, the model reads {loaded.n_positions}")


def _read_json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
