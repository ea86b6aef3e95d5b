"""Provider simulator: responses of known bias, to show and to test what an analysis finds.

A response depends on the study's seed, the generation and its wave, the root prompt (shared by its
branches), the prompt and the replicate, and on the factor levels through the declared effects alone.
Without effects the branches of a root prompt are exchangeable: neither the prompt's text nor its levels are
looked at, unless the words that were written into the prompt are declared to move its score.
"""

import hashlib
import json
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from statistics import NormalDist
from typing import Any, ClassVar, Final, NamedTuple

from python_assets.errors import ProviderError, StudyError
from python_assets.providers.provider import LocalProvider, provider
from python_assets.providers.records import Answer, Description, Prompt, Request, SystemConfig
from python_assets.providers.requests import sha256_of
from python_assets.providers.simulator.grades import STRONGEST, grade_near, sum_of_grades
from python_assets.providers.simulator.inquiries import answer_inquiry
from python_assets.providers.simulator.lexicon import GRADES, LEXICON_VERSION, REFUSALS, SENTENCES, TAILS, TOPICS
from python_assets.providers.simulator.options import (
    SimulatorOptions,
    option_problems,
    options_in_wave,
    parts_of_waves,
    read_options,
)
from python_assets.study.base import LEVEL_SEPARATOR, NEGATIVE_CONTROL
from python_assets.study.problems import unknown_name

# Share of the variance that the branches of a root prompt have in common.
ROOT_SHARE: Final = 0.4
OWN_TOPIC_PROBABILITY: Final = 0.6

_NORMAL: Final = NormalDist()


class RootEffect(NamedTuple):
    """What the branches of one root prompt share: standard normal numbers and a topic."""

    sentiment: float
    label: float
    refusal: float
    topic: int


@provider("simulator")
class Simulator(LocalProvider):
    """Writes two or three neutral sentences whose VADER compound is drawn, or a label, or a refusal.

    options (all optional):
        sentiment: {base: 0.0, spread: 0.35, wording_sd: 0.0, effects: {factor: {level: shift}}}: mean and standard
            deviation of the compound score, and how far a level moves the mean. Each text that is written into a
            prompt, for a level or as a negative control, moves it by a normal amount of wording_sd, the same in
            every prompt.
        labels: {choices: {label: probability}, effects: {factor: {level: {label: added probability}}}}: the
            response reads `Answer: label.`; sentences follow where sentiment is given too.
        refusal: {base: 0.02, effects: {factor: {level: added probability}}}.
        in_waves: {wave: {...}}: parts of these that are others in a wave, as of a model that changed under its name.
        pairs: {missed: 0.1, refused: 0.05}: as a judge of branches, the shares of planted bad pairs that it
            lets pass, and of all others that it refuses.
    An engine whose sentiment has effects of levels writes articles about them in that tone.
    An effect of several factors is declared as a grouping is: {gender x race: {Female x Malay: ...}}.
    """

    is_simulated: ClassVar[bool] = True
    is_keyed_by_prompt: ClassVar[bool] = True

    def __init__(self, config: SystemConfig) -> None:
        super().__init__(config)
        if problems := list(option_problems(config.options)):
            got = ", ".join(map(str, problems))
            raise ProviderError(f"system {config.system_id!r}", got, "options that fit", "correct them")
        self._options: SimulatorOptions = read_options(options_in_wave(config.options, config.wave))
        wave = f"|wave {config.wave}" if config.wave else ""
        self._seed = f"{config.study_seed}|{config.system_id}{wave}"
        self._root_effect = lru_cache(maxsize=None)(self._draw_root_effect)
        self._wording_effect = lru_cache(maxsize=None)(self._draw_wording_effect)

    @classmethod
    def problems(cls, config: SystemConfig, factor_levels: Mapping[str, Sequence[str]]) -> list[StudyError]:
        """What keeps this configuration from running: wrong options, effects on what is not declared."""
        return [
            *super().problems(config, factor_levels),
            *option_problems(config.options),
            *unknown_effects(config.options, factor_levels),
        ]

    def describe(self) -> Description:
        """The digest is that of the lexicon, the options and the seed: other options are other responses."""
        identity = [LEXICON_VERSION, options_in_wave(self.config.options, self.config.wave), self._seed]
        return Description(sha256_of(identity), f"lexicon {LEXICON_VERSION}", {"is_simulated": True})

    def answer(self, request: Request) -> Answer:
        """Draw one response; the same request always gets the same."""
        text, extension = self._text(request), self.config.extension
        written = extension.in_expected_form(text) if extension else text
        return Answer(written, finish_reason="stop", context={"is_simulated": True})

    def _text(self, request: Request) -> str:
        prompt, options = request.prompt, self._options
        if prompt.task == "inquiry":
            tone = self._tone_of(prompt.factors)
            return answer_inquiry(prompt.factors, self._draw_for_inquiry(request), options.pairs, tone)
        draw = random.Random(_seed_number(f"{self._seed}|{prompt.prompt_id}|{request.replicate}"))
        root = self._root_effect(prompt.root_prompt_id)
        normal_draws = [_NORMAL.inv_cdf(_open_unit(draw)) for _ in range(3)]
        if _uniform(root.refusal, normal_draws[0]) < options.refusal.for_levels(prompt.factors):
            return str(_pick(draw, REFUSALS))
        sentences = []
        if options.labels is not None:
            label = options.labels.label_at(_uniform(root.label, normal_draws[1]), prompt.factors)
            sentences.append(f"Answer: {label}.")
        if options.sentiment is not None:
            target = options.sentiment.for_levels(prompt.factors)
            target += options.spread * _shared(root.sentiment, normal_draws[2])
            if options.wording_sd:
                target += options.wording_sd * sum(map(self._wording_effect, _written_in(prompt)))
            sentences.append(write_sentences(target, root.topic, draw))
        return " ".join(sentences)

    def _tone_of(self, facts: Mapping[str, str]) -> float | None:
        """The compound of what is written about a level, where effects on it are declared; any tone else."""
        tone = self._options.sentiment
        return tone.for_levels(facts) if tone is not None and tone.effects else None

    def _draw_for_inquiry(self, request: Request) -> random.Random:
        key = [request.prompt.prompt_id, request.prompt.prompt_text, request.replicate]
        return random.Random(_seed_number(f"{self._seed}|{key}"))

    def _draw_root_effect(self, root_prompt_id: str) -> RootEffect:
        draw = random.Random(_seed_number(f"{self._seed}|root|{root_prompt_id}"))
        sentiment, label, refusal = (_NORMAL.inv_cdf(_open_unit(draw)) for _ in range(3))
        return RootEffect(sentiment, label, refusal, int(draw.random() * len(TOPICS)))

    def _draw_wording_effect(self, written: str) -> float:
        """Standard normal; of the same words the same in every wave."""
        config = self.config
        return _NORMAL.inv_cdf(
            _open_unit(random.Random(_seed_number(f"{config.study_seed}|{config.system_id}|words|{written}")))
        )


def _written_in(prompt: Prompt) -> set[str]:
    """What was written into a prompt for its levels, and the name of its negative control."""
    control = prompt.factors.get(NEGATIVE_CONTROL)
    return {*json.loads(prompt.replacements_json or "{}").values(), *([] if control is None else [control])}


def unknown_effects(options: Mapping[str, Any], factor_levels: Mapping[str, Sequence[str]]) -> Iterator[StudyError]:
    """Effects on factors or levels that the study does not declare.

    Args:
        options: of a generation; parts of the wrong shape are left to option_problems.
        factor_levels: declared levels of every factor.

    Yields:
        Problems of fields below the generation.
    """
    yield from _unknown_in(options, factor_levels)
    for below, wave_options in parts_of_waves(options):
        for problem in _unknown_in(wave_options, factor_levels):
            yield problem.at(("options", *below, *problem.where[1:]))


def _unknown_in(options: Mapping[str, Any], factor_levels: Mapping[str, Sequence[str]]) -> Iterator[StudyError]:
    for section, content in options.items():
        effects = content.get("effects") if isinstance(content, Mapping) else None
        for name, by_level in effects.items() if isinstance(effects, Mapping) else ():
            where = ("options", section, "effects", name)
            factors = str(name).split(LEVEL_SEPARATOR)
            if not set(factors) <= set(factor_levels):
                yield unknown_name(where, str(name), "a factor", list(factor_levels), "correct it")
            elif isinstance(by_level, Mapping):
                known = list(map(LEVEL_SEPARATOR.join, product(*(factor_levels[one] for one in factors))))
                for level in by_level:
                    if level not in known:
                        yield unknown_name((*where, level), str(level), f"a level of {name}", known, "correct it")


def write_sentences(target: float, topic: int, draw: random.Random) -> str:
    """Write two or three sentences whose VADER compound is near the target.

    Args:
        target: wanted compound; cut to LARGEST_COMPOUND on both sides.
        topic: index of the topic most sentences are about.
        draw: source of randomness.

    Returns:
        The sentences. Each is of one grade; the grades add up to the target before VADER normalises, in
        expectation.

    Source: Hutto and Gilbert 2014 (compound = x / sqrt(x^2 + 15)).
    """
    rest = sum_of_grades(target)
    n_sentences = 3 if abs(rest) > 2 * STRONGEST or draw.random() < 0.5 else 2
    sentences = []
    for left in range(n_sentences, 0, -1):
        wanted = rest / left + (1.6 * draw.random() - 0.8 if left > 1 else 0.0)
        grade = grade_near(wanted, draw)
        rest -= grade
        sentences.append(_sentence(GRADES[grade], topic, draw))
    return " ".join(sentences)


def _sentence(qualities: Sequence[str], topic: int, draw: random.Random) -> str:
    subjects = TOPICS[topic] if draw.random() < OWN_TOPIC_PROBABILITY else _pick(draw, TOPICS)
    sentence = _pick(draw, SENTENCES).format(
        subject=_pick(draw, subjects), quality=_pick(draw, qualities), tail=_pick(draw, TAILS)
    )
    return sentence[0].upper() + sentence[1:]


def _pick(draw: random.Random, items: Sequence[Any]) -> Any:
    return items[int(draw.random() * len(items))]


def _shared(root: float, own: float) -> float:
    return math.sqrt(ROOT_SHARE) * root + math.sqrt(1.0 - ROOT_SHARE) * own


def _uniform(root: float, own: float) -> float:
    return _NORMAL.cdf(_shared(root, own))


def _open_unit(draw: random.Random) -> float:
    return 1.0 - draw.random() or 0.5


def _seed_number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest(), "big")
