"""An audit from what is wanted to study files that are written and planned before anything is asked.

Belongs here: the order of these steps. How large a study is to be is design.py, what may still change begun.py.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.audit.begun import Audit, StudyState, sha256_of
from python_assets.audit.benchmarks import copy_files, path_of
from python_assets.audit.cost_lines import CostLine, estimated_line, minutes_of, total_line
from python_assets.audit.costs import EFFECTS, BenchmarkCost
from python_assets.audit.design import detectable_effect, sized
from python_assets.audit.models import AuditedModel
from python_assets.errors import AuditError
from python_assets.plan.costs import planned_costs
from python_assets.plan.plan import plan_study
from python_assets.plan.requested import IN_MEMORY, assemble_offline
from python_assets.plan.text import Plan, PlannedCost, total_cost
from python_assets.plan.would_fail import require_ready
from python_assets.providers.messages import tokens_of_text
from python_assets.published.plain_numbers import size
from python_assets.report.audits.record import write_record
from python_assets.study.base import LEVEL_SEPARATOR, SIMULATOR
from python_assets.study.study import Study
from python_assets.study_file.load import load_study
from python_assets.study_file.new_study import write_new
from python_assets.warehouse.build import Home, open_build

_COUNTS: Final = "select count(distinct root_prompt_id), count(*), count(negative_control) from raw.prompts"


class Prepared(NamedTuple):
    """A benchmark of an audit, ready to be asked.

    is_edited: its file is used as somebody changed it. is_done: this version is published, with every answer.
    """

    benchmark: str
    study: Study
    plan: Plan
    is_edited: bool
    is_done: bool

    @property
    def cost(self) -> CostLine:
        """What is left to ask."""
        controls, n_models = self.plan.negative_controls, len(self.study.systems)
        counts = BenchmarkCost(
            n_texts=None,
            n_root_prompts=self.plan.n_root_prompts or 0,
            n_calls=(self.plan.n_calls or 0) // n_models,
            n_control_calls=0 if controls is None else controls.n_calls // n_models,
            n_tokens_in=0,
            detectable_effect=detectable_effect(self.plan),
        )
        return _cost_line(self.benchmark, self.study, counts, self.plan.costs, is_done=self.is_done)


def prepare(
    audit: Audit, studies: Path, home: Home, tell: Callable[[Prepared], None] = lambda one: None
) -> list[Prepared]:
    """Write the study files of an audit, or take those that stay, and plan each.

    A file that the audit wrote, that was not edited and that has no answers is written anew.

    Args:
        audit: as audit_to_be gives it.
        studies: where study files lie.
        home: the warehouse, which keeps what the audit is of.
        tell: hears of each benchmark as soon as it is planned.

    Returns:
        Its benchmarks, in the order wanted.

    Raises:
        StudyError: a benchmark or a simulated model is not there.
        AuditError: a study file is of other models, or a budget is below what is to be asked.
        StudyFileError: a study file that was edited has mistakes.
        PlumblineError: what a run would refuse.
    """
    prepared, files = [], dict(audit.record.files)
    with ExitStack() as undo:
        for benchmark, state in audit.states.items():
            if not state.is_kept:
                files[state.study_id] = _write(audit, benchmark, state, studies, undo)
            one = _planned(audit, benchmark, state)
            require_ready(one.study)
            tell(one)
            prepared.append(one)
        _require_budget(audit, prepared)
        write_record(home, audit.record._replace(files=files))
        undo.pop_all()  # nothing was refused: the files stay
    return prepared


def _write(audit: Audit, benchmark: str, state: StudyState, studies: Path, undo: ExitStack) -> str:
    """Write a study file, and give its sha256; undone, what was there before is back."""
    original = path_of(benchmark)
    text = sized(benchmark, state.study_id, audit.models, audit.design).text
    for copied in copy_files(original, text, studies):
        undo.callback(copied.unlink, missing_ok=True)
    content = text.encode()
    if state.text_sha256 != sha256_of(content):
        if state.text_sha256 is None:
            undo.callback(state.path.unlink, missing_ok=True)
        else:
            undo.callback(state.path.write_bytes, state.path.read_bytes())
            state.path.unlink()
        write_new(state.path, content)
    return sha256_of(content)


def _planned(audit: Audit, benchmark: str, state: StudyState) -> Prepared:
    study = kept_study(audit, state)
    plan = plan_study(study)
    is_answered = not any(row.n_requests for row in plan.costs)
    is_done = is_answered and state.published == study.config_sha256
    return Prepared(benchmark, study, plan, state.is_edited, is_done)


def kept_study(audit: Audit, state: StudyState) -> Study:
    """The study of a file that is there.

    Raises:
        StudyFileError: the file has mistakes.
        AuditError: it is of other models than the audit.
    """
    study = load_study(state.path, simulated=audit.record.is_simulated)
    if state.is_edited:
        _require_models(load_study(state.path, check_files=False), audit.models)
    return study


def _require_models(study: Study, models: Sequence[AuditedModel]) -> None:
    requested = {(one.name, one.provider) for one in models}
    there = {(one.system_id, one.spec.provider) for one in study.systems}
    if requested != there:
        names, wanted = (", ".join(sorted(name for name, _ in group)) for group in (there, requested))
        problem = f"the file was edited and asks {names}, not {wanted}"
        remedy = "Move the file away to have it written anew, or choose another name: --name NAME"
        raise AuditError(study.path, problem, remedy=remedy)


def read_cost(audit: Audit, benchmark: str, state: StudyState, home: Home) -> CostLine:
    """What is left to ask of a study file that was edited, or of a benchmark that the table of costs lacks, about.

    Args:
        audit: the audit.
        benchmark: one of its benchmarks.
        state: of its study.
        home: where the logs lie.

    Raises:
        StudyFileError, AuditError: as kept_study.
    """
    study = kept_study(audit, state) if state.is_edited else load_study(path_of(benchmark), simulated=True)
    with open_build(IN_MEMORY) as connection:
        assemble_offline(study, connection, home)
        n_root_prompts, n_prompts, n_controls = connection.execute(_COUNTS).fetchall()[0]
        texts = connection.execute("select prompt_text from raw.prompts").fetchall()
        costs = planned_costs(study, connection, [], home)
    counts = BenchmarkCost(
        n_texts=None,
        n_root_prompts=n_root_prompts,
        n_calls=n_prompts * study.systems[0].spec.replicates,
        n_control_calls=n_controls,
        n_tokens_in=sum(tokens_of_text(text or "") for (text,) in texts),
        detectable_effect=None,
    )
    if state.is_edited:
        return _cost_line(benchmark, study, counts, costs, is_done=False)
    return estimated_line(benchmark, counts, state, audit)


def _cost_line(
    benchmark: str, study: Study, counts: BenchmarkCost, costs: Sequence[PlannedCost], *, is_done: bool
) -> CostLine:
    """A line of the table from what each model that is not simulated would still be asked."""
    n_simulated = 0 if is_done else sum(one.spec.provider == SIMULATOR for one in study.systems)
    line = CostLine(
        benchmark,
        n_root_prompts=counts.n_root_prompts,
        n_calls_of_model=counts.n_calls,
        n_calls=n_simulated * counts.n_calls,
        n_tokens_in=0,
        n_tokens_out_most=0,
        usd_most=0.0,
        minutes=0.0,
        detectable_effect=counts.detectable_effect,
        n_control_calls=counts.n_control_calls,
    )
    if not costs:  # nobody is paid, and nothing waited for
        return line
    _, _, n_calls, n_in, _, n_most, _, usd_most, minutes = total_cost(costs)
    if minutes is None and n_calls is not None:
        calls: defaultdict[str, int] = defaultdict(int)
        for row in costs:
            calls[row.address] += row.n_calls or 0
        minutes = minutes_of(calls)
    return line._replace(
        n_calls=None if n_calls is None else n_calls + n_simulated * counts.n_calls,
        n_tokens_in=n_in,
        n_tokens_out_most=n_most,
        usd_most=usd_most,
        minutes=minutes,
        has_price=all(row.has_price for row in costs),
    )


def _require_budget(audit: Audit, prepared: Sequence[Prepared]) -> None:
    """Refuse an audit that cannot be asked to its end for what it may spend."""
    costs = [row for one in prepared for row in one.plan.costs]
    for unit, most in audit.budget._asdict().items():
        if most is None:
            continue
        amounts = [row.n_calls if unit == "calls" else row.usd_most for row in costs]
        if None in amounts:
            problem = "the price of a model is not known"
            raise AuditError(f"--budget-{unit}", problem, remedy="Bound calls instead: --budget-calls N")
        if (needed := float(sum(filter(None, amounts)))) > most:
            problem = f"{most:,.6g} is below what is to be asked, {needed:,.6g} at most"
            remedy = "Raise it, or ask fewer benchmarks or models" + (", or --quick" if audit.design != "quick" else "")
            raise AuditError(f"--budget-{unit}", problem, remedy=remedy)


def told_prepared(audit: Audit, prepared: Sequence[Prepared]) -> Iterator[str]:
    """What there is to say of benchmarks once all are planned, besides their lines.

    Args:
        audit: the audit.
        prepared: its benchmarks.
    """
    yield f"Wording: {'; '.join(_wordings(prepared))}"
    for one in prepared:
        effect = detectable_effect(one.plan)
        if effect is not None and effect > EFFECTS[audit.design] + 0.0005:
            more = ", fewer models at a time smaller ones" if len(audit.models) > 1 else ""
            yield f"{one.benchmark}: all its texts together detect {size(effect, is_rate=True)}{more}"
        if one.is_done:
            yield f"{one.benchmark}: asked and published already"
        if one.is_edited:
            yield f"{one.benchmark}: {one.study.path} was edited and is kept; --quick and --full do not change it"


def total_cost_line(prepared: Sequence[Prepared]) -> CostLine:
    """The last row of the table."""
    return total_line([one.cost for one in prepared])


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


def minutes_to_go(prepared: Sequence[Prepared], home: Home) -> float | None:
    """Minutes that asking the rest takes, by the answers that are in the logs by now; None where they do not say it.

    Args:
        prepared: benchmarks of an audit, run one after another.
        home: where the logs lie.
    """
    minutes = [total_cost(_costs_now(one.study, home))[-1] for one in prepared if one.plan.costs]
    return sum(minutes) if minutes and None not in minutes else None


def _costs_now(study: Study, home: Home) -> list[PlannedCost]:
    with open_build(IN_MEMORY) as connection:
        assemble_offline(study, connection, home)
        return planned_costs(study, connection, [], home)
