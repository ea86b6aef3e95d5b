"""An audit from its command to study files that are written, planned and told before anything is asked.

Belongs here: the record of an audit, the order of these steps. How large a study is to be is design.py.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

from python_assets.audit.benchmarks import copy_files, path_of
from python_assets.audit.design import EFFECTS, sized, smallest_shown
from python_assets.audit.models import AuditedModel
from python_assets.errors import StudyError, Told
from python_assets.plan.plan import plan_study
from python_assets.plan.text import NO_PRICE_WORDS, Plan, aligned, total_cost
from python_assets.plan.would_fail import require_ready
from python_assets.published.query import open_published
from python_assets.report.audits.record import Record, read_record, write_record
from python_assets.study.base import LEVEL_SEPARATOR
from python_assets.study.study import ID_PATTERN, Study
from python_assets.study_file.load import load_study
from python_assets.study_file.new_study import write_new
from python_assets.warehouse.build import Home

_HEADER: Final = (
    *("benchmark", "study file", "root prompts", "models", "calls to ask", "tokens in", "tokens out at most"),
    *("USD at most", "minutes", "shows from"),
)


class AuditBudget(NamedTuple):
    """The most that an audit may spend, in all of its studies; None where it has no bound."""

    calls: int | None = None
    usd: float | None = None


class Wanted(NamedTuple):
    """What a command asks for; design: quick or full."""

    name: str
    benchmarks: list[str]
    models: list[AuditedModel]
    design: str
    budget: AuditBudget = AuditBudget()
    is_simulated: bool = False


class Prepared(NamedTuple):
    """A theme of an audit, ready to be asked.

    was_there: its file was, which is used as it is. is_done: it is published as it stands, with every answer.
    """

    benchmark: str
    study: Study
    plan: Plan
    was_there: bool
    is_done: bool

    def amount(self, unit: str) -> float | None:
        """What is left to ask in a unit of a budget, at most; None where it is not known."""
        amounts = [row.n_calls if unit == "calls" else row.usd_most for row in self.plan.costs]
        return None if None in amounts else float(sum(filter(None, amounts)))


def prepare(wanted: Wanted, studies: Path, home: Home) -> list[Prepared]:
    """Write the study files of an audit, or take those that it has, and plan each.

    Args:
        wanted: what is asked for.
        studies: where study files lie.
        home: the warehouse, which keeps what the audit is of.

    Returns:
        Its themes, in the order wanted.

    Raises:
        StudyError: the name cannot be one, another audit has it, a theme or a simulated model is not there, a study
            file of that name is of something else, or a budget is below what is to be asked.
        StudyFileError: a study file that was edited has mistakes.
        PlumblineError: what a run would refuse.
    """
    record, published = _record(wanted, home), _published(home)
    with ExitStack() as written:
        themes = [_prepared(wanted, benchmark, studies, published, written) for benchmark in wanted.benchmarks]
        for one in themes:
            require_ready(one.study)
        _require_budget(wanted, themes)
        write_record(home, record)
        written.pop_all()  # nothing was refused: the files stay
    return themes


def _record(wanted: Wanted, home: Home) -> Record:
    """What the audit is of; themes are added to one that is there."""
    if not ID_PATTERN.match(wanted.name):
        expected = "lower-case letters, digits and _, a letter first"
        raise StudyError("--name", wanted.name, expected, "choose another name")
    models = [f"{one.provider}:{one.model}" for one in wanted.models]
    studies = {benchmark: study_id_of(wanted.name, benchmark) for benchmark in wanted.benchmarks}
    new = Record(wanted.name, wanted.design, models, studies, is_simulated=wanted.is_simulated)
    there = read_record(home, wanted.name, or_none=True)
    if there is None:
        return new
    for what, new_value, other in (
        ("models", new.models, there.models),
        ("design", new.design, there.design),
        ("simulated", new.is_simulated, there.is_simulated),
    ):
        if new_value != other:
            where, got = f"audit {wanted.name}, {what}", _words(new_value)
            remedy = "give this one a name of its own: --name NAME"
            raise StudyError(where, got, f"{_words(other)}, as that audit was begun", remedy)
    return new._replace(studies=there.studies | studies)


def _words(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else json.dumps(value)


def study_id_of(audit: str, benchmark: str) -> str:
    """What a theme of an audit is called among the studies."""
    return f"{audit}_{benchmark}"


def _published(home: Home) -> dict[str, str]:
    """The version of each study that is published."""
    if not home.published.exists():
        return {}
    with open_published(home.published) as connection:
        return dict(connection.execute("select study_id, config_sha256 from studies").fetchall())


def _prepared(
    wanted: Wanted, benchmark: str, studies: Path, published: Mapping[str, str], written: ExitStack
) -> Prepared:
    path = studies / f"{study_id_of(wanted.name, benchmark)}.yml"
    if was_there := path.exists():
        _require_models(load_study(path, check_files=False), wanted.models)
    else:
        original = path_of(benchmark)
        text = sized(benchmark, path.stem, wanted.models, wanted.design).text
        copy_files(original, text, studies)
        written.callback(path.unlink, missing_ok=True)
        write_new(path, text.encode())
    study = load_study(path, simulated=wanted.is_simulated)
    plan = plan_study(study)
    is_answered = not any(row.n_requests for row in plan.costs)
    is_done = is_answered and published.get(study.study_id) == study.config_sha256
    return Prepared(benchmark, study, plan, was_there, is_done)


def _require_models(study: Study, models: Sequence[AuditedModel]) -> None:
    requested = {(one.name, one.provider) for one in models}
    there = {(one.system_id, one.spec.provider) for one in study.systems}
    if requested != there:
        named = ", ".join(sorted(name for name, _ in there))
        expected = f"systems {', '.join(sorted(name for name, _ in requested))}, as the models of this audit"
        remedy = "give this audit another name: --name NAME, or move the file away"
        raise StudyError(study.path, Told(f"systems {named}"), expected, remedy)


def _require_budget(wanted: Wanted, found: Sequence[Prepared]) -> None:
    """Refuse an audit that cannot be asked to its end for what it may spend."""
    for unit, most in wanted.budget._asdict().items():
        if most is None:
            continue
        amounts = [one.amount(unit) for one in found]
        if None in amounts:
            got, expected = f"a budget of {unit}", "models whose price is known"
            raise StudyError(f"--budget-{unit}", Told(got), expected, "bound calls instead: --budget-calls N")
        if (needed := sum(filter(None, amounts))) > most:
            remedy = "raise it, or ask fewer themes or models, or --quick"
            raise StudyError(f"--budget-{unit}", most, f"{needed:,.6g} at least, for what this design asks", remedy)


def told(wanted: Wanted, found: Sequence[Prepared]) -> str:
    """What an audit would ask, for whoever confirms it.

    Args:
        wanted: what is asked for.
        found: its themes.
    """
    points = f"{EFFECTS[wanted.design] * 100:g}"
    lines = [
        f"Audit {wanted.name}: {', '.join(one.name for one in wanted.models)}; {wanted.design} design, which is to "
        f"show differences of {points} points of 100",
        aligned(_HEADER, [_cells(one, wanted) for one in found]),
        f"Wording: {'; '.join(_wordings(found))}",
    ]
    for one in found:
        shown = smallest_shown(one.plan)
        if shown is not None and shown > EFFECTS[wanted.design] + 0.0005:
            lines.append(f"{one.benchmark}: all its texts together show differences from {shown * 100:.1f} points on")
            if len(wanted.models) > 1:
                lines[-1] += ", and smaller ones where fewer models are asked at a time"
        if one.is_done:
            lines.append(f"{one.benchmark}: asked and published already")
        elif one.was_there:
            lines.append(f"{one.benchmark}: {one.study.path} was there and is used as it is")
    return "\n".join(lines)


def _wordings(prepared: Sequence[Prepared]) -> Iterator[str]:
    """How the wording of groups is controlled, a way each with its benchmarks."""
    ways = {one.benchmark: _wording(one) for one in prepared}
    for way in dict.fromkeys(ways.values()):
        yield f"{way} ({', '.join(name for name, this_way in ways.items() if this_way == way)})"


def _wording(one: Prepared) -> str:
    if one.study.prompts.wordings:
        worded = [row for row in one.plan.groupings if one.study.has_wordings(row.grouping_id.split(LEVEL_SEPARATOR))]
        return f"{max(row.n_units for row in worded)} wordings a group, which are the units"
    if one.study.negative_controls:
        return "negative controls"
    if one.study.prompts.units:
        return f"several units a group ({', '.join(one.study.prompts.units)})"
    return "one wording a group, not controlled"


def minutes_to_go(found: Sequence[Prepared]) -> float | None:
    """Minutes that asking the rest takes, by the answers that are in the logs by now; None where they do not say it.

    Args:
        found: themes of an audit, run one after another.
    """
    minutes = [total_cost(plan_study(one.study).costs)[-1] for one in found if one.plan.costs]
    return sum(minutes) if minutes and None not in minutes else None


def _cells(one: Prepared, wanted: Wanted) -> tuple[object, ...]:
    plan, shown = one.plan, smallest_shown(one.plan)
    if wanted.is_simulated or not plan.costs:  # nobody is paid, and nothing waited for
        costs: tuple[object, ...] = (plan.n_calls, 0, 0, 0.0, 0.0)
    else:
        _, _, n_calls, n_in, _, n_most, _, usd_most, minutes = total_cost(plan.costs)
        costs = (
            n_calls,
            n_in,
            n_most,
            usd_most if all(row.has_price for row in plan.costs) else NO_PRICE_WORDS,
            minutes,
        )
    from_points = "-" if shown is None else f"{shown * 100:.1f} points"
    return one.benchmark, one.study.path.name, plan.n_root_prompts, len(wanted.models), *costs, from_points
