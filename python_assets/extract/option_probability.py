"""How likely a model is to choose an option of a multiple choice, by the probabilities of its first token.

The letters of the options share the probability of all letters: what a model puts on other words tells
nothing of the options.
"""

import json
import math
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from python_assets.extract.job import Job, Read
from python_assets.extract.measurement_rows import MeasuredValues, no_numbers, nothing
from python_assets.extract.scorer import Score
from python_assets.providers.logprobs import FIRST_TOKEN
from python_assets.study.factors import TEMPLATE
from python_assets.study.prompts import LETTERS, OPTION_ORDER

_VERSION: Final = "option_probability 1"
# a letter stands alone, in brackets, bold or before a point; of a tokenizer the blank before it is a sign
_AROUND: Final = " \t\n\u2581\u0120([{*\"'`.):]}"

_RESPONSES: Final = """
select system_id, prompt_id, replicate, context_json from raw.responses where study_id = ?
"""
_LEVELS: Final = """
select template.prompt_id, template.level, ordered.level
from raw.prompt_factors as template
inner join raw.prompt_factors as ordered using (study_id, prompt_id)
where template.factor = ? and ordered.factor = ? and study_id = ?
"""


class _Shown(NamedTuple):
    """Where an option stands among those of a prompt; place: from 0."""

    place: int
    n_options: int


def read_option_probability(job: Job) -> list[Read]:
    """The probability of one role's option, of every response whose first token's are known.

    Returns:
        One Read; NULL with reason no_option where the prompt has no such option, no_option_probability where
        no letter is among the tokens that the server told.

    Source: Hendrycks et al. 2021, whose answers are the likeliest of the letters.
    """
    responses = job.only_responses()
    table = job.units.table.iloc[responses.wanted]
    shown = _shown(job, str(job.measure.spec.option_probability))
    contexts = _contexts(job)
    keys = zip(table["system_id"], table["prompt_id"], table["replicate"], strict=True)
    scores = [_score(shown.get(prompt), contexts.get((system, prompt, n))) for system, prompt, n in keys]
    has_text = table["text_id"].to_numpy() >= 0
    value = np.array([np.nan if score.value is None else score.value for score in scores])
    score_reasons = np.array([score.reason for score in scores], dtype=object)
    values = MeasuredValues(
        units=responses.wanted,
        value=np.where(has_text, value, np.nan),
        baseline_value=no_numbers(len(table)),
        label=nothing(len(table)),
        label_method=nothing(len(table)),
        reason=np.where(has_text, score_reasons, responses.reasons_without_text()),
    )
    return [Read(job.measure, values, _VERSION)]


def letter_shares(logprobs: Mapping[str, float], n_options: int) -> list[float] | None:
    """How the first letters share the probability that a model puts on any of them.

    Args:
        logprobs: log probabilities by token; tokens that write a letter in several ways are added up.
        n_options: how many letters there are.

    Returns:
        One share a letter, together 1; 0 for a letter that is not among the tokens. None where none is.
    """
    letters = LETTERS[:n_options]
    mass = dict.fromkeys(letters, 0.0)
    for token, value in logprobs.items():
        if (letter := token.strip(_AROUND)) in mass:
            mass[letter] += math.exp(min(value, 0.0))
    total = math.fsum(mass.values())
    return [mass[letter] / total for letter in letters] if total > 0 else None


def _score(shown: _Shown | None, context_json: str | None) -> Score:
    if shown is None:
        return Score(reason="no_option")
    logprobs = _logprobs(context_json)
    shares = letter_shares(logprobs, shown.n_options) if logprobs else None
    return Score(shares[shown.place]) if shares else Score(reason="no_option_probability")


def _logprobs(context_json: str | None) -> dict[str, float]:
    """What the log keeps of the first token; it was read token by token as it came in."""
    context = json.loads(context_json or "{}")
    return dict(context.get(FIRST_TOKEN) or {})


def _contexts(job: Job) -> dict[tuple[str, str, int], str | None]:
    rows = job.connection.execute(_RESPONSES, [job.study.study_id]).fetchall()
    return {(system_id, prompt_id, n): context for system_id, prompt_id, n, context in rows}


def _shown(job: Job, role: str) -> dict[str, _Shown]:
    """By prompt, where the option of a role stands; prompts without such an option are left out."""
    templates = job.study.prompts.templates
    places = {
        (text.id, text.order_name(order)): _Shown(order.index(role), len(order))
        for text in (templates.texts if templates else [])
        for order in text.option_orders
        if role in order
    }
    rows = job.connection.execute(_LEVELS, [TEMPLATE, OPTION_ORDER, job.study.study_id]).fetchall()
    return {prompt: places[template, order] for prompt, template, order in rows if (template, order) in places}
