"""From a wanted VADER compound to the strength of the words that give it."""

import math
import random
from typing import Final

from python_assets.providers.simulator.lexicon import GRADES

LARGEST_COMPOUND: Final = 0.93
STRONGEST: Final = max(GRADES)

_VADER_ALPHA: Final = 15.0
_LEVELS: Final = tuple(sorted(GRADES))


def sum_of_grades(compound: float) -> float:
    """The strength that words have together where their text has a compound; cut to LARGEST_COMPOUND on both sides.

    Source: Hutto and Gilbert 2014 (compound = x / sqrt(x^2 + 15)).
    """
    cut = max(-LARGEST_COMPOUND, min(LARGEST_COMPOUND, compound))
    return cut * math.sqrt(_VADER_ALPHA / (1.0 - cut * cut))


def grade_near(wanted: float, draw: random.Random) -> float:
    """One of the two grades around a strength, at random so that the strength is their mean."""
    above = next((grade for grade in _LEVELS if grade >= wanted), _LEVELS[-1])
    below = next((grade for grade in reversed(_LEVELS) if grade <= wanted), _LEVELS[0])
    if above == below or above < wanted or below > wanted:
        return above if above < wanted else below
    return above if draw.random() < (wanted - below) / (above - below) else below
