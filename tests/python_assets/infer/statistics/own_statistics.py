"""Functions as a user writes them beside a study file."""

import numpy as np


def spread(x):
    """Mean distance from the median."""
    return np.abs(x - np.median(x)).mean()


def average(x):
    return np.mean(x)


def picky(x):
    if x.max() > 2:
        raise ValueError("too large for me")
    return x.mean()


def undefined(x):
    return np.inf if x.min() < 0 else np.nan


def wordy(x):
    return f"about {x.mean():.1f}"


def spoiling(x):
    x[:] = x.mean()
    return x[0]


def whole(x):
    return len(x)


def of_two(x, b):
    return np.mean(x - b)


def smallest_first(x):
    return x[0]
