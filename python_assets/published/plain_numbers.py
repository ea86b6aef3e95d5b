"""Numbers as the page on plain words writes them: p, effects, rates in points.

Belongs here: how one number is written, with a hyphen for a minus sign; the report puts the real sign in its place.
"""

from decimal import ROUND_HALF_UP, Decimal
from math import floor, log10

SMALL_P, LARGE_P = 0.001, 0.999


def named_p(name: str, value: float, *, alpha: float = 0.05) -> str:
    """Write a p or q with its name: p < .001, q = .095, p = .48.

    Args:
        name: p or q.
        value: 0 to 1.
        alpha: one that rounds to this and is not alpha gets more digits.
    """
    if value < SMALL_P:
        return f"{name} < .001"
    if value > LARGE_P:
        return f"{name} > .999"
    decimals = 3 if value < 0.1 or value > 0.99 else 2
    while float(rounded(value, decimals)) == alpha != value and decimals < 6:
        decimals += 1
    return f"{name} = {rounded(value, decimals).removeprefix('0')}"


def rounded(value: float, decimals: int) -> str:
    """Write a p or q with so many decimals, half up: 11 of 2,000 is 0.006, by whichever sum it became .0055.

    Args:
        value: 0 to 1; what is beyond its 12th digit is an error of sums.
        decimals: after the point.
    """
    return f"{Decimal(f'{value:.12g}').quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"


def size(value: float, *, is_rate: bool = False) -> str:
    """Write a size without its sign: from 0.1 on two decimals, from 10 one, from 100 none, below two digits.

    Args:
        value: in the unit of the measure.
        is_rate: whether it is of rates, which are written in points with one decimal.
    """
    value = abs(value)
    if is_rate:
        return f"{100 * value:.1f} points"
    if value < 1e-12:
        return "0"
    return f"{value:,.{_decimals(value)}f}"


def effect(value: float, *, is_rate: bool = False) -> str:
    """Write an effect with its sign: +0.26, -13.9 points.

    Args:
        value: in the unit of the measure.
        is_rate: as in size.
    """
    return plain_value(value, is_rate=is_rate, with_sign=True)


def limits(low: float | None, high: float | None, *, is_rate: bool = False) -> str:
    """Write a 95 % confidence interval of a size: 0 to 0.12; up to, from, or nothing where a limit is not there.

    Args:
        low: the lower limit.
        high: the upper limit.
        is_rate: as in size.
    """
    if low is None and high is None:
        return ""
    if low is None or high is None:
        word, limit = ("up to", high) if low is None else ("from", low)
        return f"{word} {size(limit or 0.0, is_rate=is_rate)}"
    first = size(low, is_rate=is_rate).removesuffix(" points")
    return f"{first} to {size(high, is_rate=is_rate)}"


def plain_value(value: float, *, is_rate: bool = False, with_sign: bool = False) -> str:
    """Write a value with a minus sign where it is negative: 0.25, -0.33; with_sign also a plus sign.

    Args:
        value: in the unit of the measure.
        is_rate: as in size.
        with_sign: as of an effect.
    """
    sign = "-" if value < 0 else "+" if with_sign and value > 0 else ""
    return f"{sign}{size(value, is_rate=is_rate)}"


def signed_limits(
    low: float | None, high: float | None, *, of: float, is_rate: bool = False, with_sign: bool = True
) -> str:
    """Write a 95 % confidence interval of an effect: -0.47 to -0.22; from +0.12, up to -0.12, or '' without limits.

    Args:
        low: the lower limit.
        high: the upper limit.
        of: the effect, whose decimals the limits have.
        is_rate: as in size; the unit is left to the effect.
        with_sign: whether limits above 0 have a plus sign.
    """
    decimals = 1 if is_rate else _decimals(abs(of))

    def written(limit: float) -> str:
        text = f"{(100 if is_rate else 1) * limit:{'+' if with_sign else ''},.{decimals}f}"
        return text if float(text.replace(",", "")) else text.lstrip("+-")

    if low is None or high is None:
        return "" if low is high else f"from {written(low)}" if low is not None else f"up to {written(high or 0.0)}"
    return f"{written(low)} to {written(high)}"


def _decimals(value: float) -> int:
    if value < 1e-12:
        return 2
    return 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 1 - floor(log10(value))


def share(n: int, of: int) -> str:
    """Write a share in percent: one decimal below 10 and above 90; 0 and 100 % for none and all alone.

    Args:
        n: how many.
        of: of how many, at least 1.
    """
    percent = 100 * n / of
    if n in (0, of):
        return f"{percent:.0f} %"
    if percent < 0.1:
        return "under 0.1 %"
    if percent > 99.9:
        return "over 99.9 %"
    return f"{percent:.{int(round(percent, 1) < 10 or percent > 90)}f} %"


def count(n: int, of: int) -> str:
    """Write a count of a whole with its share: 133 of 595 (22 %).

    Args:
        n: how many.
        of: of how many; of none there is no share.
    """
    return f"{n:,} of {of:,}{f' ({share(n, of)})' if of else ''}"
