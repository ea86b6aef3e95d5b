"""What a study may declare for the simulator, checked and read."""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, Final, NamedTuple

from python_assets.errors import NOTHING, FieldPath, StudyError
from python_assets.study.base import LEVEL_SEPARATOR
from python_assets.study.problems import unknown_name

_PARTS: Final[dict[str, tuple[str, ...]]] = {
    "sentiment": ("base", "spread", "wording_sd", "effects"),
    "labels": ("choices", "effects"),
    "refusal": ("base", "effects"),
    "pairs": ("missed", "refused"),
}
IN_WAVES: Final = "in_waves"
DEFAULT_SPREAD: Final = 0.35
DEFAULT_MISSED: Final = 0.1
DEFAULT_REFUSED: Final = 0.05
DEFAULT_REFUSAL: Final = 0.005  # with 20 groups nine blocks in ten stay complete


def level_of(levels: Mapping[str, str], name: str) -> str:
    """The level of a factor, or of several as a grouping joins them; blank where a prompt has none."""
    return LEVEL_SEPARATOR.join(levels.get(factor, "") for factor in name.split(LEVEL_SEPARATOR))


class Additive(NamedTuple):
    """A number that the levels of a prompt add to."""

    base: float
    effects: Mapping[str, Mapping[str, float]]

    def for_levels(self, levels: Mapping[str, str]) -> float:
        """Base plus the effect of every level the prompt has."""
        if not self.effects:
            return self.base
        return self.base + sum(by.get(level_of(levels, name), 0.0) for name, by in self.effects.items())


class LabelProbabilities(NamedTuple):
    """Probabilities of labels, which the levels of a prompt add to."""

    choices: Mapping[str, float]
    effects: Mapping[str, Mapping[str, Mapping[str, float]]]

    def label_at(self, quantile: float, levels: Mapping[str, str]) -> str:
        """The label at a quantile; probabilities below 0 count as 0, their sum as 1."""
        weights = dict(self.choices)
        for factor, by_level in self.effects.items():
            for label, added in by_level.get(level_of(levels, factor), {}).items():
                weights[label] += added
        weights = {label: max(0.0, weight) for label, weight in weights.items()}
        if not any(weights.values()):
            weights = dict(self.choices)
        rest = quantile * sum(weights.values())
        for label, weight in weights.items():
            rest -= weight
            if rest < 0.0:
                return label
        return max(weights, key=lambda label: weights[label])


class PairErrors(NamedTuple):
    """How a judge of pairs errs: shares of bad pairs that it misses, and of good ones that it refuses."""

    missed: float = DEFAULT_MISSED
    refused: float = DEFAULT_REFUSED


USUAL_ERRORS: Final = PairErrors()


class SimulatorOptions(NamedTuple):
    """The options read; a part that is None is not written. wording_sd: 0 moves nothing."""

    sentiment: Additive | None
    spread: float
    wording_sd: float
    labels: LabelProbabilities | None
    refusal: Additive
    pairs: PairErrors


def options_in_wave(options: Mapping[str, Any], wave: str) -> dict[str, Any]:
    """The parts of a wave: those that in_waves names for it in the place of the others of their name."""
    common = {name: content for name, content in options.items() if name != IN_WAVES}
    return common | dict((options.get(IN_WAVES) or {}).get(wave) or {})


def parts_of_waves(options: Mapping[str, Any]) -> Iterator[tuple[FieldPath, Mapping[str, Any]]]:
    """The options of each wave that has its own, with their field below options; what is no mapping is left out."""
    by_wave = options.get(IN_WAVES)
    for wave, wave_options in by_wave.items() if isinstance(by_wave, Mapping) else ():
        if isinstance(wave_options, Mapping):
            yield (IN_WAVES, wave), wave_options


def read_options(options: Mapping[str, Any]) -> SimulatorOptions:
    """Fill in defaults; options have no problems."""
    sentiment, labels, refusal, pairs = (options.get(name) for name in _PARTS)
    writes_sentences = sentiment is not None or labels is None
    sentiment, refusal = sentiment or {}, refusal or {}
    return SimulatorOptions(
        Additive(sentiment.get("base", 0.0), sentiment.get("effects") or {}) if writes_sentences else None,
        sentiment.get("spread", DEFAULT_SPREAD),
        sentiment.get("wording_sd", 0.0),
        LabelProbabilities(labels["choices"], labels.get("effects") or {}) if labels else None,
        Additive(refusal.get("base", DEFAULT_REFUSAL), refusal.get("effects") or {}),
        PairErrors(**(pairs or {})),
    )


def option_problems(options: Mapping[str, Any]) -> Iterator[StudyError]:
    """What is wrong with the simulator's options, by their field below the generation.

    Whether factors and levels exist is not looked at here.

    Args:
        options: as in the study file.
    """
    yield from _part_problems({name: content for name, content in options.items() if name != IN_WAVES})
    by_wave = options.get(IN_WAVES, {})
    if not isinstance(by_wave, Mapping) or not all(
        isinstance(wave_options, Mapping) for wave_options in by_wave.values()
    ):
        remedy = 'write for example {"2026-11": {"sentiment": {"base": -0.2}}}'
        yield StudyError(("options", IN_WAVES), by_wave, "options by the name of a wave", remedy)
    for where, wave_options in parts_of_waves(options):
        for problem in _part_problems(wave_options):
            yield problem.at(("options", *where, *problem.where[1:]))


def _part_problems(options: Mapping[str, Any]) -> Iterator[StudyError]:
    for name, content in options.items():
        where = ("options", name)
        if name not in _PARTS:
            yield unknown_name(where, name, "a part", [*_PARTS, IN_WAVES], "remove it")
        elif not isinstance(content, Mapping):
            yield StudyError(where, content, "a mapping", f"give {', '.join(_PARTS[name])}")
        elif name == "labels":
            yield from _label_problems(where, content)
        else:
            yield from _key_problems(name, content)
            yield from _number_problems(name, content)
            yield from _effect_problems((*where, "effects"), content.get("effects"), None)


def _key_problems(part: str, content: Mapping[str, Any]) -> Iterator[StudyError]:
    for key in content:
        if key not in _PARTS[part]:
            yield unknown_name(("options", part, key), key, f"a key of {part}", _PARTS[part], "remove it")


def _label_problems(where: FieldPath, content: Mapping[str, Any]) -> Iterator[StudyError]:
    """What is wrong with the labels: their shape alone where nothing else could be read."""
    if content and not set(content) & {*_PARTS["labels"]}:
        written = "{choices: {" + ", ".join(f"{key}: ..." for key in content) + "}}"
        yield StudyError(where, dict(content), "choices with probabilities, and effects", f"write {written}")
        return
    yield from _key_problems("labels", content)
    choices = content.get("choices")
    problems = list(_choice_problems((*where, "choices"), choices))
    yield from problems
    if not problems:
        yield from _effect_problems((*where, "effects"), content.get("effects"), list(choices or {}))


def _number_problems(part: str, content: Mapping[str, Any]) -> Iterator[StudyError]:
    low, high = (0.0, 1.0) if part == "refusal" else (-1.0, 1.0)
    share = (0.0, 1.0)
    bounds = {"base": (low, high), "spread": share, "wording_sd": share, "missed": share, "refused": share}
    for name, (lowest, highest) in bounds.items():
        if name in _PARTS[part] and name in content and not _is_within(content[name], lowest, highest):
            expected = f"a number from {lowest:g} to {highest:g}"
            yield StudyError(("options", part, name), content[name], expected, "correct it")


def _choice_problems(where: FieldPath, choices: Any) -> Iterator[StudyError]:
    if not isinstance(choices, Mapping) or not choices:
        remedy = "write for example {'yes': 0.5, 'no': 0.5}"
        yield StudyError(where, NOTHING if choices is None else choices, "labels with their probabilities", remedy)
        return
    for label, value in choices.items():
        if not isinstance(label, str):
            yield StudyError(where, label, "labels that are texts", "put them in quotation marks")
        if not _is_within(value, 0.0, 1.0):
            yield StudyError((*where, label), value, "a probability from 0 to 1", "correct it")
            return
    if abs(sum(choices.values()) - 1.0) > 1e-6:
        expected = f"probabilities that add up to 1, not {sum(choices.values()):g}"
        yield StudyError(where, dict(choices), expected, "correct them")


def _effect_problems(where: FieldPath, effects: Any, labels: list[str] | None) -> Iterator[StudyError]:
    if effects is None:
        return
    if not isinstance(effects, Mapping):
        yield StudyError(where, effects, "factor: {level: number}", "correct it")
        return
    for factor, by_level in effects.items():
        if not isinstance(by_level, Mapping):
            yield StudyError((*where, factor), by_level, "{level: number}", "correct it")
            continue
        for level, effect in by_level.items():
            yield from _effect_problem((*where, factor, level), effect, labels)


def _effect_problem(where: FieldPath, effect: Any, labels: list[str] | None) -> Iterator[StudyError]:
    if labels is None:
        if not _is_within(effect, -2.0, 2.0):
            yield StudyError(where, effect, "a number from -2 to 2", "correct it")
    elif not isinstance(effect, Mapping):
        yield StudyError(where, effect, "{label: added probability}", "correct it")
    elif unknown := [str(label) for label in effect if label not in labels]:
        yield unknown_name((*where, unknown[0]), unknown[0], "one of the choices", labels, "correct it")
    elif not all(_is_within(added, -1.0, 1.0) for added in effect.values()):
        yield StudyError(where, dict(effect), "added probabilities from -1 to 1", "correct them")


def _is_within(value: Any, low: float, high: float) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and isfinite(value) and low <= value <= high
