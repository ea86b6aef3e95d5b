"""What several raters together say of an answer."""

from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from python_assets.infer.draws.exchange import Floats

CONTINUOUS: Final = "continuous"
CATEGORICAL: Final = "categorical"


class People(NamedTuple):
    """Labels of answers as codes: numbers, marks of 0 and 1, or the place of a label among names.

    answers: the keys of the answers, as they came first. raters: their names, sorted. given: shape (answers, raters),
    NaN where a rater gave none. said: of numbers the mean; of marks and labels what most raters say, NaN where another
    is said as often.
    """

    answers: pd.Index
    raters: list[str]
    given: Floats
    said: Floats


def people_say(labels: pd.DataFrame, answer: pd.Series, kind: str, names: list[str]) -> People:
    """Gather the labels of one measure.

    Args:
        labels: one row an answer and rater: rater, label and value.
        answer: key of the answer of each row.
        kind: of the measure.
        names: the labels of a categorical one.
    """
    codes = codes_of(labels.label, labels.value, kind, names)
    position, answers = pd.factorize(answer)
    rater, raters = pd.factorize(labels.rater, sort=True)
    given = np.full((len(answers), len(raters)), np.nan)
    given[position, rater] = codes
    people_codes = np.nanmean(given, axis=1) if kind == CONTINUOUS and len(given) else _majority(given)
    return People(pd.Index(answers), [*map(str, raters)], given, people_codes)


def codes_of(label: pd.Series, value: pd.Series, kind: str, names: list[str]) -> Floats:
    """Labels by their place among names, in whatever case they are written; of other kinds the values."""
    places: dict[str, float] = {}
    for position, name in enumerate(names):
        places.setdefault(name.casefold(), float(position))
    codes = label.str.casefold().map(places) if kind == CATEGORICAL else value
    return np.asarray(codes, dtype=np.float64)


def _majority(given: Floats) -> Floats:
    known = np.unique(given[~np.isnan(given)])
    if not len(known):
        return np.full(len(given), np.nan)
    votes = (given[..., None] == known).sum(axis=1)
    most = votes.max(axis=1)
    is_alone = (votes == most[:, None]).sum(axis=1) == 1
    return np.where(is_alone, known[votes.argmax(axis=1)], np.nan)
