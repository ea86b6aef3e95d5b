"""What an audit would ask, as a table for a terminal: first by the table of costs, then as planned.

Belongs here: the columns and the words, and the first table. Planning is prepare.py.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from python_assets.audit.begun import Audit, StudyState
from python_assets.audit.costs import EFFECTS, FULL, MOST_MODELS, QUICK, BenchmarkCost, cost_of
from python_assets.audit.models import MAX_TOKENS, AuditedModel
from python_assets.providers.prices import list_price
from python_assets.providers.records import SystemConfig
from python_assets.providers.usage import Usage
from python_assets.published.plain_numbers import size
from python_assets.study.base import SIMULATOR

HEADER: Final = (
    *("benchmark", "root prompts", "calls a model", "calls to ask", "tokens in", "tokens out at most"),
    *("USD at most", "minutes", "detectable"),
)
SECONDS_A_CALL: Final = 2.0
"""Taken for what one call lasts, as long as no answer says it."""
CALLS_AT_A_TIME: Final = SystemConfig("", "").concurrency
CONTROLS_LABEL: Final = "  negative controls"
TOTAL: Final = "total"
CONDITION: Final = (
    "Detectable: with 80 % power, if half of the answers are yes and answers to the same prompt correlate .5 between "
    "groups (.02 where names are the units)."
)
"""What the power in the files of the benchmarks assumes."""
_WIDTHS: Final = (len(CONTROLS_LABEL), *map(len, HEADER[1:]))
_UNKNOWN: Final = "not known yet"
_SUMMED: Final = (
    *("n_root_prompts", "n_calls_of_model", "n_calls", "n_tokens_in", "n_tokens_out_most", "usd_most", "minutes"),
)


class CostLine(NamedTuple):
    """What is left to ask of a benchmark, all models together; None where it is not known.

    Attributes:
        benchmark: its name, or what else the line is of.
        n_root_prompts: root prompts.
        n_calls_of_model: calls of one model, those that are answered too.
        n_calls: calls still to ask.
        n_tokens_in: tokens of their prompts.
        n_tokens_out_most: tokens of their answers, at most.
        usd_most: US dollars, at most; None where a price is not known.
        minutes: how long they take.
        detectable_effect: the difference of rates that is detected (80 % power).
        n_control_calls: calls of one model that are of negative controls.
        has_price: whether every price is known.
    """

    benchmark: str
    n_root_prompts: int | None
    n_calls_of_model: int | None
    n_calls: int | None
    n_tokens_in: int | None
    n_tokens_out_most: int | None
    usd_most: float | None
    minutes: float | None
    detectable_effect: float | None
    n_control_calls: int = 0
    has_price: bool = True


def headline(audit: Audit) -> str:
    """The first line: who is asked, and what the design aims at."""
    models = ", ".join(audit.record.models)
    simulated = "; simulated" if audit.record.is_simulated else ""
    aim = f"aims at {100 * EFFECTS[audit.design]:g} points"
    return f"Audit {audit.record.name}: {models}{simulated}; {audit.design} design ({aim})"


def line_text(line: CostLine) -> Iterator[str]:
    """A row of the table, and one of its negative controls where it has any."""
    usd = "no price" if not line.has_price else _number(line.usd_most, "{:,.2f}")
    minutes = "< 1" if line.minutes is not None and 0 < line.minutes < 1 else _number(line.minutes, "{:,.0f}")
    effect = "-" if line.detectable_effect is None else size(line.detectable_effect, is_rate=True)
    yield _row(line.benchmark, *map(_number, line[1:6]), usd, minutes, effect)
    if line.n_control_calls:
        yield _row(CONTROLS_LABEL, "", f"{line.n_control_calls:,}")


def header_text() -> str:
    """The head of the table."""
    return _row(*HEADER)


def total_line(lines: Sequence[CostLine]) -> CostLine:
    """The last row: sums of the lines above it."""
    values = {name: [getattr(one, name) for one in lines] for name in _SUMMED}
    sums: dict[str, Any] = {name: None if None in column else sum(column) for name, column in values.items()}
    return CostLine(TOTAL, **sums, detectable_effect=None, has_price=all(one.has_price for one in lines))


def estimate(audit: Audit, read: Callable[[str, StudyState], CostLine], write: Callable[[str], None]) -> list[CostLine]:
    """What an audit would ask, about: by the table of costs, and by the file of a study that was edited.

    Args:
        audit: the audit.
        read: counts a study file that was edited, or a benchmark that the table does not have.
        write: prints a line as soon as it is known.
    """
    lines: list[CostLine] = []
    write("About, before anything is prepared:")
    write(header_text())
    n_models = min(len(audit.models), MOST_MODELS)
    known = {benchmark: cost_of(benchmark, audit.design, n_models) for benchmark in audit.states}
    # what has to be read comes last: the rest is there at once
    for benchmark in sorted(audit.states, key=lambda one: audit.states[one].is_edited or known[one] is None):
        state, cost = audit.states[benchmark], known[benchmark]
        if state.is_edited or cost is None:
            lines.append(read(benchmark, state))
        else:
            lines.append(estimated_line(benchmark, cost, state, audit))
        for text in line_text(lines[-1]):
            write(text)
    for text in line_text(total_line(lines)) if len(lines) > 1 else ():
        write(text)
    write(CONDITION)
    write(f"Minutes: at {SECONDS_A_CALL:g} s a call and {CALLS_AT_A_TIME} calls at a time, until answers tell it.")
    if len(audit.models) > MOST_MODELS:
        write(f"{len(audit.models)} models at a time take more than these, which are for {MOST_MODELS}: see the plan.")
    return lines


def other_design(audit: Audit) -> str | None:
    """What the other design would take and detect.

    Args:
        audit: the audit.

    Returns:
        None where it may not be chosen any more, is not known, or would ask as many calls. Edited files are not
        counted: no design changes them.
    """
    if audit.is_begun or audit.record.is_simulated or len(audit.models) > MOST_MODELS:
        return None
    other = FULL if audit.design == QUICK else QUICK
    written = [benchmark for benchmark, state in audit.states.items() if not state.is_edited]
    costs = [cost_of(benchmark, other, len(audit.models)) for benchmark in written]
    chosen = [cost_of(benchmark, audit.design, len(audit.models)) for benchmark in written]
    effects = [one.detectable_effect for one in costs if one and one.detectable_effect]
    n_more = sum(one.n_calls for one in costs if one) - sum(one.n_calls for one in chosen if one)
    if None in (*costs, *chosen) or not effects or (n_more <= 0 if other == FULL else n_more >= 0):
        return None
    low, high = (size(one, is_rate=True) for one in (min(effects), max(effects)))
    detects = low if low == high else f"{low.removesuffix(' points')} to {high}"
    n_calls = sum(one.n_calls for one in costs if one) * len(audit.models)
    word = "More precise" if other == FULL else "Fewer calls"
    besides = "" if len(written) == len(audit.states) else " besides those of edited files"
    return f"{word}: --{other} (detectable: {detects}; {n_calls:,} calls{besides})"


def minutes_of(calls: dict[str, int]) -> float:
    """Minutes that calls take by address, where nothing else tells: addresses are asked side by side."""
    return max(calls.values(), default=0) * SECONDS_A_CALL / CALLS_AT_A_TIME / 60


def estimated_line(benchmark: str, cost: BenchmarkCost, state: StudyState, audit: Audit) -> CostLine:
    """What is left of what a benchmark takes, less the answers that are there.

    Args:
        benchmark: its name.
        cost: of one model.
        state: of its study.
        audit: who is asked.
    """
    models = audit.models
    n_left = max(0, cost.n_calls * len(models) - state.n_answers)
    if audit.record.is_simulated and state.published:
        n_left = 0
    share = n_left / (cost.n_calls * len(models))
    usd = [_usd(one, cost) for one in models]
    is_paid = not audit.record.is_simulated
    calls: defaultdict[str, int] = defaultdict(int)
    for one in models:
        if one.provider != SIMULATOR:
            calls[str((one.entry or {}).get("base_url", one.provider))] += round(cost.n_calls * share)
    n_asked = sum(one.provider != SIMULATOR for one in models) * is_paid
    return CostLine(
        benchmark,
        n_root_prompts=cost.n_root_prompts,
        n_calls_of_model=cost.n_calls,
        n_calls=n_left,
        n_tokens_in=round(cost.n_tokens_in * n_asked * share),
        n_tokens_out_most=round(cost.n_calls * MAX_TOKENS * n_asked * share),
        usd_most=None if None in usd else share * sum(filter(None, usd)) * is_paid,
        minutes=minutes_of(calls) * is_paid,
        detectable_effect=cost.detectable_effect,
        n_control_calls=cost.n_control_calls,
        has_price=not is_paid or None not in usd,
    )


def _usd(one: AuditedModel, cost: BenchmarkCost) -> float | None:
    if one.provider == SIMULATOR:
        return 0.0
    price = list_price(one.provider, one.model, [(one.entry or {}).get("base_url")])
    return None if price is None else Usage(0, cost.n_tokens_in, 0, cost.n_calls * MAX_TOKENS).usd(price)


def _number(value: float | None, form: str = "{:,}") -> str:
    return _UNKNOWN if value is None else form.format(value)


def _row(*cells: str) -> str:
    first, *rest = cells
    widths = _WIDTHS[1:]
    return "  ".join([first.ljust(_WIDTHS[0]), *map(str.rjust, rest, widths)]).rstrip()
