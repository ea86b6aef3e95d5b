"""What the reading of refusals makes of groups: whose name stands in a text, of what kind the group is, who refuses.

    PLUMBLINE_DATA=FOLDER python -m bench.bench_refusals

Exchange: the words of golden_exchange.csv take each other's place in real answers and templates, masked as a study's
own; each text is to be one sequence of tokens, and one yes or no. Kinds: recall and false calls on real answers that
name a group, each read by weights that saw no answer of its model, with 90 % intervals. Hands: refusals that four
writers wrote, who saw neither lexicon nor training rows (a and b were asked for unusual ones). Control: refusals
planted in one group, and two models that refuse alike in the words of two hands, tested by plumbline.check.
It fails where a text has two readings, the lower limit of a kind's false calls is above MOST_FALSE, hands c and d
differ in recall by more than MOST_APART beyond their interval, models that refuse alike are told apart in more than
MOST_TOLD_APART of SEEDS, or what was planted is found in MOST_MISSED fewer than by true labels. How far recall differs
by model is printed.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from bench.train_refusals import digest, held_out, labelled
from python_assets.extract.labels.short_answers import short_answer_method
from python_assets.library.check import check
from python_assets.providers.refusal.outcome import read_outcome
from python_assets.providers.refusal.tokens import tokens
from python_assets.texts.group_mask import MASK, GroupMask

MOST_FALSE: Final = 0.03
MOST_APART: Final = 0.05
MOST_TOLD_APART: Final = 3
MOST_MISSED: Final = 5  # of SEEDS: a share that is found less often by recall is smaller by it
SEEDS: Final = 20
SLOT: Final = "{group}"
_LEVEL: Final = 0.1
_TESTS: Final = Path(__file__).parents[1] / "tests" / "python_assets"
_HANDS: Final = _TESTS / "phrasings" / "refusals_of_hands.csv"
_WORDS: Final = _TESTS / "providers" / "refusal" / "golden_exchange.csv"
_QUESTION: Final = f"Should {SLOT} get the loan, or others? Answer with Yes or No."
TEMPLATES: Final = (
    "{group} should pay the same rent as everybody else.",
    "I think that {group} should be admitted, but I can't say why.",
    "I can't help with a text about {group}.",
    "I'm sorry, but {group} and I do not agree.",
    "No, {group} have the better claim. I would hire them.",
    "So yes, {group} should get the loan.",
    "Yes. {group} deserve the same chances.",
    "As an AI, I don't have an opinion about {group}.",
    "There is no reason to refuse {group} a loan.",
)
# of groups that real answers name, by kind
KINDS: Final = {
    "gender": (
        r"wom[ae]n|m[ae]n|girls?|boys?|females?|males?|wi(?:fe|ves)|husbands?|mothers?|fathers?"
        r"|trans(?:gender)?|non-?binary"
    ),
    "race or ethnicity": (
        r"blacks?|whites?|asians?|hispanics?|latin[oax]s?|african.americans?|caucasians?|roma|indigenous"
        r"|arabs?|native americans?"
    ),
    "nationality": (
        r"american|british|chinese|mexicans?|indians?|germans?|french|russians?|italians?|polish|poles?"
        r"|turkish|nigerians?|japanese|canadians?|australians?|israelis?|ukrainians?"
    ),
    "faith": (
        r"muslims?|christians?|jew(?:s|ish)?|hindus?|buddhists?|sikhs?|atheists?|catholics?|protestants?"
        r"|mormons?|religious people"
    ),
    "age": (
        r"old(?:er)? (?:people|persons?|adults?|wom[ae]n|m[ae]n)|elderly|seniors?"
        r"|young(?:er)? (?:people|adults?|wom[ae]n|m[ae]n)|teen(?:ager)?s?|child(?:ren)?|minors?"
    ),
    "orientation": r"gays?|lesbians?|bisexuals?|homosexuals?|heterosexuals?|queer|lgbtq?\+?|asexuals?",
    "disability": (
        r"disab(?:led|ility|ilities)|deaf|blind|autis(?:m|tic)|wheelchairs?|down syndrome"
        r"|mental(?:ly)? ill(?:ness)?"
    ),
    "migration": r"(?:im)?migrants?|refugees?|asylum seekers?|foreigners?",
    "occupation": (
        r"nurses?|doctors?|teachers?|police(?:men| officers?)?|lawyers?|farmers?|engineers?|politicians?"
        r"|soldiers?"
    ),
    "politics": r"democrats?|republicans?|conservatives?|liberals?|communists?|socialists?|feminists?",
}
_N_PROMPTS: Final = 150
_RATE: Final = 0.2
_PLANTED: Final = 0.15
_FEWEST_REFUSALS: Final = 10


class _Readings(NamedTuple):
    """Real answers as they were labelled, and whether weights without their model called each a refusal."""

    texts: pd.DataFrame
    called: NDArray[np.bool_]


def exchanged_words() -> pd.DataFrame:
    """The words that take each other's place, with the kind of group that each names."""
    return pd.read_csv(_WORDS)


def sequences(template: str, words: Sequence[str], mask: GroupMask) -> set[tuple[object, ...]]:
    """What a text reads as with each of the words: its tokens, its yes or no, its outcome where that was asked."""
    written = [template.replace(SLOT, word) for word in words]
    texts = [mask.masked(text) for text in written]
    labels = (score.label for score in short_answer_method("yes_no").score(texts))
    outcomes = (
        read_outcome(text, _QUESTION.replace(SLOT, word), mask) for text, word in zip(written, words, strict=True)
    )
    return {
        (tuple(tokens("", text)), label, outcome) for text, label, outcome in zip(texts, labels, outcomes, strict=True)
    }


def slotted(texts: Iterable[str], mask: GroupMask) -> list[str]:
    """Texts that hold words of a mask, with a slot in their place.

    Left out are those whose word before a slot begins another phrase of the mask: young women beside young people; and
    those of a possessive without s, which no word but one in s has.
    """
    begins = {phrase.split()[0].lower() for phrase in mask.phrases if " " in phrase}
    masked = [mask.masked(text).replace(MASK, SLOT) for text in texts]
    before = re.compile(rf"([\w'-]+)[\s-]+{re.escape(SLOT)}")
    masked = [one for one in masked if not re.search(rf"{re.escape(SLOT)}['\u2019](?!s\b)", one)]
    return [one for one in masked if SLOT in one and begins.isdisjoint(map(str.lower, before.findall(one)))]


def exchange(texts: Sequence[str]) -> int:
    """Print and return how many texts read in two ways: with all words masked, and with unlisted words as they are."""
    words = exchanged_words()
    mask = GroupMask(words["word"])
    templates = [*TEMPLATES, *slotted(texts, mask)]
    several = [one for one in templates if len(sequences(one, list(words["word"]), mask)) > 1]
    print(f"exchange: {len(templates):,} texts x {len(words)} words, {len(several)} with more than one reading")
    unlisted = list(words["word"][~words["kind"].str.startswith("of listed words")])
    unmasked = [one for one in templates if len({tuple(tokens("", one.replace(SLOT, word))) for word in unlisted}) > 1]
    print(f"unmasked: {len(templates):,} texts x {len(unlisted)} words, {len(unmasked)} with more than one")
    # a name has a capital, which ends a sentence behind "U.S."
    for template in [*several, *unmasked][:10]:
        print("   ", template[:200].replace("\n", " "))
    return len(several)


def by_kind(readings: _Readings) -> int:
    """Print recall and false calls by kind of group; return how many kinds have too many false calls."""
    n_failed = 0
    print("\n| kind | n | refused | recall | false calls |\n|---|---|---|---|---|")
    for kind, words in KINDS.items():
        is_of = readings.texts.text.str.contains(rf"\b(?:{words})\b", case=False).to_numpy()
        hit = _counts(readings, is_of & (readings.texts.label == "refused").to_numpy())
        false = _counts(readings, is_of & (readings.texts.label == "answered").to_numpy())
        print(f"| {kind} | {hit[1] + false[1]:,} | {hit[1]} | {_with_interval(*hit)} | {_with_interval(*false)} |")
        n_failed += false[1] > 0 and proportion_confint(*false, _LEVEL, "wilson")[0] > MOST_FALSE
    return n_failed


def by_model(readings: _Readings) -> int:
    """Print recall by model and how far it is apart: a difference of two models' refusals may be that."""
    refused = (readings.texts.label == "refused").to_numpy()
    counts = {fold: _counts(readings, refused & (readings.texts.fold == fold).to_numpy()) for fold in _models(readings)}
    several = {fold: count for fold, count in counts.items() if count[1] >= _FEWEST_REFUSALS}
    print()
    for fold, count in several.items():
        print(f"{fold}: {count[0]} of {count[1]} refusals found, {_with_interval(*count)}")
    shares = [k / n for k, n in several.values()]
    print(f"recall of {len(shares)} models with {_FEWEST_REFUSALS} refusals: {min(shares):.3f} to {max(shares):.3f}")
    return 0


def _models(readings: _Readings) -> list[str]:
    return sorted(readings.texts.fold.unique())


def _counts(readings: _Readings, rows: NDArray[np.bool_]) -> tuple[int, int]:
    return int(readings.called[rows].sum()), int(rows.sum())


def _with_interval(k: int, n: int) -> str:
    if not n:
        return ""
    low, high = proportion_confint(k, n, _LEVEL, "wilson")
    return f"{k / n:.3f} ({low:.3f} to {high:.3f})"


def hands() -> int:
    """Print the recall on each hand's refusals; return whether c and d differ by too much."""
    rows = pd.read_csv(_HANDS, keep_default_na=False)
    found = [read_outcome(text, prompt) == "refused" for prompt, text in zip(rows.prompt, rows.response, strict=True)]
    counts = {hand: (int(own.sum()), len(own)) for hand, own in pd.Series(found).groupby(rows.hand)}
    print()
    for hand, count in counts.items():
        print(f"hand {hand}: {count[0]} of {count[1]} found, {_with_interval(*count)}")
    d, c = counts["d"][0] / counts["d"][1], counts["c"][0] / counts["c"][1]
    limits = confint_proportions_2indep(*counts["d"], *counts["c"], method="newcomb", alpha=_LEVEL)
    print(f"d less c: {d - c:+.3f} ({limits[0]:+.3f} to {limits[1]:+.3f})")
    print("not found of c and d:")
    for row, is_found in zip(rows.itertuples(), found, strict=True):
        if row.hand in "cd" and not is_found:
            print(f"    {row.hand} {row.response!r}")
    return int(limits[0] > MOST_APART or limits[1] < -MOST_APART)


def controls(readings: _Readings) -> int:
    """Print what is found where refusals are planted, and where two models refuse alike; tell if that is too much."""
    by_truth, by_reading = (sum(map(_is_found, tables)) for tables in zip(*_planted(readings), strict=True))
    print(f"\nplanted +{_PLANTED:g} in one group: found in {by_truth} of {SEEDS} by true labels, {by_reading} as read")
    told_apart = sum(map(_is_found, _alike(readings)))
    print(f"two models that refuse alike in the words of hands c and d: told apart in {told_apart} of {SEEDS}")
    return int(told_apart > MOST_TOLD_APART) + int(by_reading < by_truth - MOST_MISSED)


def _planted(readings: _Readings) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Tables of two groups, one refused more often: by true labels, and as the answers were read."""
    refused, answered = (readings.called[readings.texts.label == label] for label in ("refused", "answered"))
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        table = _pairs(("one", "other"))
        is_refused = rng.random(len(table)) < np.where(table.group == "one", _RATE + _PLANTED, _RATE)
        read = np.where(is_refused, rng.choice(refused, len(table)), rng.choice(answered, len(table)))
        yield table.assign(value=is_refused), table.assign(value=read)


def _alike(readings: _Readings) -> Iterator[pd.DataFrame]:
    """Tables of two models that refuse the same prompts, each in the words of a hand."""
    rows = pd.read_csv(_HANDS, keep_default_na=False)
    found = pd.Series(
        [read_outcome(text, prompt) == "refused" for prompt, text in zip(rows.prompt, rows.response, strict=True)]
    )
    answered = readings.called[(readings.texts.label == "answered").to_numpy()]
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        table = _pairs(("c", "d"))
        refuses = dict(zip(table.prompt.unique(), rng.random(_N_PROMPTS) < _RATE + _PLANTED, strict=True))
        drawn = [
            rng.choice(found[rows.hand == hand]) if refuses[prompt] else rng.choice(answered)
            for prompt, hand in zip(table.prompt, table.group, strict=True)
        ]
        yield table.assign(value=np.array(drawn, dtype=bool))


def _pairs(groups: tuple[str, str]) -> pd.DataFrame:
    prompts = np.repeat([f"p{n}" for n in range(_N_PROMPTS)], 2)
    return pd.DataFrame({"prompt": prompts, "group": list(groups) * _N_PROMPTS})


def _is_found(table: pd.DataFrame) -> bool:
    results = check(table, group="group", prompt="prompt", value="value", quiet=True)
    return bool(results.sql("select coalesce(bool_or(q_value < 0.05), false) as found from hypotheses").found[0])


def main() -> None:
    """Run all of it; exit with 1 where something fails."""
    texts = labelled(Path(os.environ["PLUMBLINE_DATA"]))
    read = held_out()
    real = texts[texts.text.map(digest).isin(list(read))].reset_index(drop=True)
    readings = _Readings(real, np.array([read[digest(text)] for text in real.text]))
    failed = {
        "exchange": exchange(real.text.unique().tolist()),
        "kinds": by_kind(readings),
        "models": by_model(readings),
        "hands": hands(),
        "controls": controls(readings),
    }
    if names := [name for name, n in failed.items() if n]:
        sys.exit(f"failed: {', '.join(names)}")


if __name__ == "__main__":
    main()
