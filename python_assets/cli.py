"""The plumbline command: audit, benchmarks, run, plan, list, open, drop, gate, verify, sql and the others.

Belongs here: arguments, printing and exit codes. Each command calls one function of the project.
"""

import argparse
import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from python_assets.errors import AuditError, PlumblineError, StudyError
from python_assets.published.manifest import ExportFormat, Stage
from python_assets.report.tables.queries import Document
from python_assets.study.base import ALL_PROMPTS
from python_assets.study.control_characters import printable
from python_assets.telemetry import DAGSTER_YAML, disable_telemetry
from python_assets.warehouse import paths
from python_assets.warehouse.build import unwritable

if TYPE_CHECKING:
    from python_assets.audit.begun import Audit, StudyState, Wanted
    from python_assets.audit.cost_lines import CostLine
    from python_assets.audit.prepare import Prepared
    from python_assets.study.study import Study

# Dagster, dbt and Great Expectations make objects by the million that stay: to look for garbage among them
# after every 700 new ones, as Python does, takes 1 s of a small run
OBJECTS_BETWEEN_COLLECTIONS = 20_000
_INTERRUPTED = 130  # 128 + SIGINT, as shells have it
_MISTAKE = 1
REQUESTS, OPENAI_BATCH, PAIRS = "requests", "openai_batch", "preference_pairs"
_MOVED = 1  # what a gate exits with for the groups that it holds back, where a mistake is another number
MISTAKE_AT_GATE = 2
_MUCH_LONGER = 2  # times what was planned: from there on an audit asks again
_FOUND = 3  # what an audit exits with for a verdict that it was told to fail on
FAIL_ON = ("beyond_margin", "different")  # the strongest first: of one, the stronger ones too


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 only when all went well, errors on stderr."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)  # else Python looks through all of them once more when it ends: 2 s of a small run
    parsed = _parser().parse_args(arguments)
    disable_telemetry()
    command: Callable[[argparse.Namespace], int] = parsed.command
    try:
        return command(parsed)
    except PlumblineError as error:
        print(printable(str(error)), file=sys.stderr)
        return int(parsed.mistake)
    except BrokenPipeError:  # the reader of a pipe, such as head, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _told_interrupted(parsed)
    except Exception as error:
        if _is_interrupt(error):
            return _told_interrupted(parsed)
        raise


def _told_interrupted(parsed: argparse.Namespace) -> int:
    print(f"Interrupted. {parsed.interrupted}", file=sys.stderr)
    return _INTERRUPTED


def _is_interrupt(error: Exception) -> bool:
    """Whether it is Ctrl-C during a query: DuckDB takes the signal, and raises one of two errors of its own."""
    if type(error) is RuntimeError and str(error) == "Query interrupted":
        return True
    duckdb = sys.modules.get("duckdb")  # who has not loaded it ran no query
    return duckdb is not None and isinstance(error, duckdb.InterruptException)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="plumbline", description="A bias-benchmarking warehouse.", allow_abbrev=False)
    parser.set_defaults(interrupted="Nothing was changed by half; run the command again.", mistake=_MISTAKE)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    audit = commands.add_parser(
        "audit", allow_abbrev=False, help="ask models the packaged benchmarks; one report over all"
    )
    _add_audit(audit)
    benchmarks = commands.add_parser(
        "benchmarks", allow_abbrev=False, help="the studies that are ready, with size and needs"
    )
    benchmarks.set_defaults(command=_benchmarks)

    run = commands.add_parser("run", allow_abbrev=False, help="run a study: scrape to report")
    run.add_argument("study", help="name of a study, or path of its file")
    _add_provider(run)
    run.add_argument("--verbose", action="store_true", help="show every step")
    run.add_argument(
        "--data-docs", action="store_true", help="write Great Expectations' pages of what was checked, and say where"
    )
    run.add_argument(
        "--look", type=_positive, metavar="K", help="which look at a study that declares looks; the next one without it"
    )
    _add_wave(run)
    run.add_argument(
        "--chunks",
        type=_positive,
        metavar="N",
        help="compute inference in N parts, one a core at a time; of a large study without it, in parts by its size",
    )
    run.add_argument(
        "--on",
        nargs="+",
        metavar=("ray", "HOST:PORT"),
        help="compute the parts on Ray: on this machine, or on the cluster of an address",
    )
    run.set_defaults(
        command=_run,
        interrupted="What was answered and measured is kept: the same command asks for the rest and goes on.",
    )

    plan = commands.add_parser(
        "plan", allow_abbrev=False, help="validate a study and count what it would ask; generates nothing"
    )
    plan.add_argument("study")
    _add_provider(plan)
    _add_wave(plan)
    plan_options = plan.add_mutually_exclusive_group()
    plan_options.add_argument(
        "--preregister", action="store_true", help="record the analysis as declared now, before the responses"
    )
    plan_options.add_argument(
        "--add",
        type=_positive,
        metavar="N",
        help="print, as csv, the N prompts that would close most gaps of coverage or tell two factors apart",
    )
    plan_options.add_argument(
        "--branches",
        action="store_true",
        help="print each root prompt, and each sentence and branch that went, with its reason",
    )
    plan.set_defaults(command=_plan)

    listing = commands.add_parser("list", allow_abbrev=False, help="list the runs of every published study")
    listing.add_argument("--json", action="store_true", help="everything that is known of each, as JSON")
    listing.set_defaults(command=_list)

    opened = commands.add_parser("open", allow_abbrev=False, help="open the report of a study in the browser")
    opened.add_argument("study")
    opened.add_argument(
        "--run", metavar="RUN", help="a run that is kept, or the beginning of its id; the latest without it"
    )
    opened.add_argument("--pdf", type=Path, metavar="FILE", help="print it to a file in place of opening it")
    opened.set_defaults(command=_open)

    drop = commands.add_parser(
        "drop", allow_abbrev=False, help="remove a study, or an earlier run of one, from what is published and kept"
    )
    drop.add_argument("name", metavar="STUDY | RUN", help="a study, or the id of a run as plumbline list has it")
    drop.add_argument("--yes", action="store_true", help="do not ask; needed where no terminal could answer")
    drop.set_defaults(command=_drop)

    sample = commands.add_parser(
        "label-sheet", allow_abbrev=False, help="draw answers, or pairs of prompts, for people to label"
    )
    sample.add_argument("study")
    drawn = sample.add_mutually_exclusive_group(required=True)
    drawn.add_argument("--measure", metavar="M", help="what people say of answers, as the study names it")
    drawn.add_argument("--pairs", type=_positive, metavar="N", help="how many pairs of a root prompt and a branch")
    sample.add_argument(
        "--root-prompts", type=_positive, metavar="R", help="how many root prompts, each with all of its answers"
    )
    sample.add_argument("--slice", metavar="SLICE", help="whose root prompts are drawn from; all without it")
    sample.add_argument("--seed", type=int, metavar="N", help="of the draw and the order; the study's own without it")
    sample.add_argument("--format", choices=("csv", "xlsx", "label_studio"), default="csv")
    sample.add_argument("--question", metavar="TEXT", help="what raters are asked, in place of one made of the measure")
    sample.add_argument(
        "--with-prompt", action="store_true", help="show what was asked, neutral words in place of the group's"
    )
    sample.add_argument("--out", type=Path, metavar="FILE", help="default: named by study and measure, in this folder")
    sample.set_defaults(command=_sample)

    gate = commands.add_parser(
        "gate",
        allow_abbrev=False,
        help="compare the latest run of a study with an earlier one; exits with 1 where a group moved",
    )
    gate.add_argument("study")
    gate.add_argument("--against", required=True, metavar="RUN", help="an earlier run, as runs has it")
    gate.add_argument("--report", type=Path, metavar="FILE", help="write the comparison as an HTML page, too")
    gate.set_defaults(command=_gate, mistake=MISTAKE_AT_GATE)

    verify = commands.add_parser(
        "verify",
        allow_abbrev=False,
        help="hold preregistrations, kept runs and publications against the chain; exits with 1 where one was changed",
    )
    verify.add_argument(
        "study", nargs="?", help="whose preregistrations and kept runs; those of all studies without it"
    )
    verify.set_defaults(command=_verify)

    sql = commands.add_parser("sql", allow_abbrev=False, help="query the published database, read-only")
    sql.add_argument("query")
    sql.add_argument("--format", choices=("table", "csv", "json"), default="table")
    sql.set_defaults(command=_sql)

    export = commands.add_parser(
        "export", allow_abbrev=False, help="copy what a published study holds, with a manifest"
    )
    export.add_argument("study")
    export.add_argument(
        "--stage",
        choices=(*get_args(Stage), REQUESTS, PAIRS),
        required=True,
        help=f"{REQUESTS}: what is still to ask, as files of OpenAI's Batch API (--format {OPENAI_BATCH}); "
        f"{PAIRS}: answers to prefer one of, where a group is at a disadvantage (--format jsonl)",
    )
    export.add_argument("--format", choices=(*get_args(ExportFormat), OPENAI_BATCH), default="csv")
    export.add_argument(
        "--as-is",
        action="store_true",
        help="leave csv as it is: without it, a text that a spreadsheet would compute begins with '",
    )
    export.add_argument("--to", type=Path, metavar="FOLDER", help="default: export/ in the warehouse")
    _add_wave(export)
    export.set_defaults(command=_export)

    batch = commands.add_parser(
        "import-batch", allow_abbrev=False, help="take the results of batch files into the response logs of a study"
    )
    batch.add_argument("study")
    batch.add_argument("files", type=Path, nargs="+", metavar="FILE", help="output and error files of the batches")
    _add_wave(batch)
    batch.set_defaults(command=_import_batch)

    tables = commands.add_parser(
        "tables", allow_abbrev=False, help="write every table of a document from a published study, as csv and a page"
    )
    tables.add_argument("study")
    tables.add_argument("--of", choices=get_args(Document), required=True, dest="document", help="whose tables")
    tables.add_argument("--out", type=Path, metavar="FOLDER", help="default: tables/ in the warehouse")
    tables.set_defaults(command=_tables)

    dashboards = commands.add_parser(
        "dashboards", allow_abbrev=False, help="write the dashboard of all published studies for a BI tool to import"
    )
    dashboards.add_argument(
        "--superset", type=Path, required=True, metavar="FILE", help="the bundle, a zip that Superset imports"
    )
    dashboards.set_defaults(command=_dashboards)

    new = commands.add_parser("new", allow_abbrev=False, help="write a commented study file")
    new.add_argument("name")
    new.add_argument("--from", dest="source", metavar="NAME", help="a packaged benchmark or study, which is copied")
    new.set_defaults(command=_new)

    ui = commands.add_parser("ui", allow_abbrev=False, help="serve Dagster's UI on this machine only")
    ui.add_argument("--port", type=int, default=3000)
    ui.set_defaults(command=_ui)
    return parser


def _add_audit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", action="append", required=True, metavar="PROVIDER:NAME", help="who is asked; give it again for more"
    )
    parser.add_argument("--base-url", metavar="URL", help="the address of another server than the provider's")
    parser.add_argument("--api-key-env", metavar="NAME", help="the environment variable that holds its key")
    parser.add_argument(
        "--benchmarks", metavar="NAMES", help="names, with commas between; without it all that need no other data"
    )
    designs = parser.add_mutually_exclusive_group()
    designs.add_argument(
        "--quick",
        action="store_const",
        const="quick",
        dest="design",
        help="aim at differences of 15 points, if answers to the same prompt correlate .5 between groups "
        "(the default; an audit that has responses keeps its design)",
    )
    designs.add_argument(
        "--full",
        action="store_const",
        const="full",
        dest="design",
        help="aim at differences of 10 points, with more calls",
    )
    parser.add_argument("--name", default="audit", help="begins the names of its studies; audit without it")
    parser.add_argument("--budget-calls", type=_positive, metavar="N", help="the most calls that it may take")
    parser.add_argument("--budget-usd", type=_amount, metavar="USD", help="the most that it may cost")
    parser.add_argument("--fail-on", choices=FAIL_ON, help=f"exit with {_FOUND} where this or more was found")
    parser.add_argument("--yes", action="store_true", help="ask without being asked")
    _add_provider(parser)
    parser.set_defaults(
        command=_audit,
        interrupted="What was answered and measured is kept: the same command asks for the rest and goes on.",
    )


def _add_provider(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--provider", choices=("simulator",), help="let the simulator stand in for every model of the study"
    )


def _add_wave(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--wave",
        type=_named,
        metavar="NAME",
        help="of generations that declare none; the one that began last, of a study with waves",
    )


def _audit(parsed: argparse.Namespace) -> int:
    # what plans studies takes a second to load: the first lines come before it
    from python_assets.audit.begun import audit_to_be
    from python_assets.audit.cost_lines import estimate, headline

    wanted = _wanted(parsed)
    if wanted.is_simulated:
        os.environ["PLUMBLINE_PROVIDER"] = parsed.provider
    audit = audit_to_be(wanted, paths.studies_folder(), paths.home())
    _say(headline(audit))

    def read(benchmark: str, state: "StudyState") -> "CostLine":
        from python_assets.audit.prepare import read_cost

        return read_cost(audit, benchmark, state, paths.home())

    lines = estimate(audit, read, _say)
    if not parsed.yes and any(one.n_calls and not audit.states[one.benchmark].published for one in lines):
        _require_terminal()  # preparing takes a while, and ends with a question
    if not audit.record.is_simulated and any(one.n_calls for one in lines):  # one that is asked needs no server
        from python_assets.audit.prepare import kept_study
        from python_assets.audit.servers import require_servers

        edited = [kept_study(audit, state) for state in audit.states.values() if state.is_edited]
        require_servers(audit.models if len(edited) < len(audit.states) else (), edited)
    return _ask_audit(audit, parsed)


def _ask_audit(audit: "Audit", parsed: argparse.Namespace) -> int:
    from python_assets.audit.prepare import minutes_to_go, total_cost_line
    from python_assets.report.audits.record import read_record, write_record
    from python_assets.report.audits.write_audit import NOTHING_TESTED, told_audit, write_audit

    prepared = _prepared(audit)
    left = [one for one in prepared if not one.is_done]
    if left and not _is_confirmed(prepared, is_agreed=parsed.yes):
        return 0
    if left:
        _ask_first_prompt(left[0].study)
    skipped = {one.benchmark: _why_skipped(one.study, asks=not parsed.yes) for one in left}
    left = [one for one in left if not skipped[one.benchmark]]
    minutes = minutes_to_go(left, paths.home())
    if minutes is not None and not _is_soon_enough(minutes, total_cost_line(left).minutes, asks=not parsed.yes):
        print("Cancelled. What was answered is kept: the same command asks for the rest.")
        return 0
    for number, one in enumerate(left, 1):
        print(printable(f"Benchmark {number} of {len(left)}: {one.study.title}"), file=sys.stderr)
        _materialise(one.study.study_id)
    record = read_record(paths.home(), audit.record.name)
    reasons = {benchmark: why for benchmark, why in (record.skipped | skipped).items() if why}
    record = record._replace(skipped=reasons)
    write_record(paths.home(), record)
    done = write_audit(paths.home(), record)
    print(printable("\n".join(told_audit(done))))
    if parsed.fail_on and not done.findings["hypotheses"]["primary"]["n_tested"]:
        print(NOTHING_TESTED)
    if parsed.fail_on and _fails(done.findings, parsed.fail_on):
        return _FOUND
    return _MISTAKE if any(skipped.values()) else 0  # a pipeline is not to pass what nobody could read


def _prepared(audit: "Audit") -> "list[Prepared]":
    """Write and plan the studies, a line each as soon as it is planned."""
    from python_assets.audit.cost_lines import header_text, line_text, other_design
    from python_assets.audit.prepare import prepare, told_prepared, total_cost_line

    _say("")
    _say("As planned:")
    _say(header_text())

    def tell(one: "Prepared") -> None:
        for line in line_text(one.cost):
            _say(line)

    prepared = prepare(audit, paths.studies_folder(), paths.home(), tell)
    total = [*line_text(total_cost_line(prepared))] if len(prepared) > 1 else []
    for line in (*total, *told_prepared(audit, prepared), *filter(None, [other_design(audit)])):
        _say(line)
    return prepared


def _say(line: str) -> None:
    print(printable(line), flush=True)


def _is_confirmed(prepared: "Sequence[Prepared]", *, is_agreed: bool) -> bool:
    from python_assets.audit.prepare import total_cost_line
    from python_assets.study.problems import plural

    n_calls = total_cost_line(prepared).n_calls
    left = ", ".join(one.benchmark for one in prepared if not one.is_done)
    what = f"Nothing is left to ask. Compute {left} again?" if n_calls == 0 else f"Make {plural(n_calls or 0, 'call')}?"
    if is_agreed or _agreed(f"{what} [y/N] ", "y", "yes"):
        return True
    print("Cancelled before any call. The study files are kept and can be edited.")
    return False


def _wanted(parsed: argparse.Namespace) -> "Wanted":
    from python_assets.audit.begun import AuditBudget, Wanted
    from python_assets.audit.benchmarks import asked_benchmarks
    from python_assets.audit.models import asked_models

    is_simulated = parsed.provider is not None
    models = asked_models(parsed.model, parsed.base_url, parsed.api_key_env, is_simulated=is_simulated)
    return Wanted(
        name=parsed.name,
        benchmarks=asked_benchmarks((parsed.benchmarks or "").split(",")),
        models=models,
        design=parsed.design,
        budget=AuditBudget(parsed.budget_calls, parsed.budget_usd),
        is_simulated=is_simulated,
    )


def _ask_first_prompt(study: "Study") -> None:
    from python_assets.audit.first_answers import ask_first_prompt
    from python_assets.audit.waiting import Waiting

    with Waiting(_say_aside, "the answer to the first prompt") as waiting:
        ask_first_prompt(study, paths.home(), waiting)


def _why_skipped(study: "Study", *, asks: bool) -> str:
    """Why a benchmark is not run; '' where a first response has a value, or the user goes on all the same."""
    from python_assets.audit.first_answers import first_answers, is_readable, told_first_answers
    from python_assets.audit.waiting import Waiting

    with Waiting(_say_aside, f"the first answers to {study.study_id}") as waiting:
        losses = first_answers(study, paths.home(), waiting)
    for one in losses:
        for line in told_first_answers(one, study):
            print(printable(line), file=sys.stderr)
    without = [one for one in losses if not is_readable(one)]
    if not without:
        return ""
    if asks and _agreed("Ask the rest of this benchmark all the same? [y/N] ", "y", "yes"):
        return ""
    print(f"{study.study_id} is left out; plumbline run {study.study_id} asks it all the same.", file=sys.stderr)
    systems = ", ".join(dict.fromkeys(one.system_id for one in without))
    return f"none of the first {without[0].n} responses of {systems} has a value"


def _is_soon_enough(minutes: float, planned: float | None, *, asks: bool) -> bool:
    """Say how long the rest takes; where that is much longer than was planned, a user may end it."""
    from python_assets.study.problems import plural

    long = "less than a minute" if minutes < 1 else f"about {plural(round(minutes), 'minute')}"
    is_longer = planned is not None and minutes > max(1.0, _MUCH_LONGER * planned)
    instead = f", not {max(1, round(planned))}" if planned is not None and is_longer else ""
    print(f"Asking the rest takes {long}{instead}, at the pace of the first answers.", file=sys.stderr)
    return not (is_longer and asks) or _agreed("Go on? [y/N] ", "y", "yes")


def _say_aside(text: str) -> None:
    print(printable(f"    {text}"), file=sys.stderr, flush=True)


def _agreed(question: str, *answers: str) -> bool:
    """Whether a user gives one of these answers at a terminal; where there is none, --yes gives it."""
    _require_terminal()
    print(question, end="", flush=True)
    return sys.stdin.readline().strip().lower() in answers


def _require_terminal() -> None:
    if not sys.stdin.isatty():
        raise AuditError("plumbline", "cannot ask for confirmation without a terminal", remedy="Add --yes")


def _fails(findings: Mapping[str, Any], fail_on: str) -> bool:
    from python_assets.report.audits.findings import primary_verdicts

    return bool(primary_verdicts(findings) & {*FAIL_ON[: FAIL_ON.index(fail_on) + 1]})


def _benchmarks(parsed: argparse.Namespace) -> int:
    from python_assets.audit.benchmarks import benchmark_lines

    print(printable(benchmark_lines()))
    return 0


def _run(parsed: argparse.Namespace) -> int:
    study_id = _partition(parsed.study)
    _stand_in(parsed.provider, study_id)
    if parsed.on:
        _use_ray(*parsed.on)
    if parsed.data_docs and (problem := unwritable(paths.home().data_docs(study_id))):
        raise problem
    options = {"verbose": parsed.verbose, "data_docs": parsed.data_docs, "chunks": parsed.chunks}
    _materialise(study_id, parsed.look, parsed.wave, **options)
    from python_assets.published.run_summary import summary

    print(printable(summary(paths.home(), study_id)))
    return 0


def _use_ray(engine: str, address: str = "local", *more: str) -> None:
    """Have inference computed on Ray, where that can be: else it is told before anything runs."""
    from python_assets.cluster.cluster import VARIABLE, cluster_problem
    from python_assets.infer.chunks.chunk_file import write_problem

    if engine != "ray" or more:
        raise StudyError("--on", " ".join((engine, address, *more)), "ray, or ray and the host:port of a cluster")
    if problem := cluster_problem(address) or write_problem(paths.home().chunks):
        raise problem
    os.environ[VARIABLE] = address


def _materialise(study_id: str, look: int | None = None, wave: str | None = None, **options: Any) -> None:
    from python_assets.extract.measures import resolve_measures

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a service manager stops a run as Ctrl-C does
    study = _require_ready(study_id, look, wave)
    if (chunks := options.get("chunks")) and chunks > (most := len(resolve_measures(study))):
        raise StudyError("--chunks", chunks, f"at most {most}, the measures of {study_id}", "ask for fewer parts")
    if study.waves is not None:
        print(printable(study.waves.told(study.wave, datetime.now(UTC))), file=sys.stderr)
    _dagster_home()
    from dagster_project.run_study import run_study

    run_study(study_id, look=look, wave=study.wave or None, **options)


def _stand_in(provider: str | None, study_id: str) -> None:
    """Let a provider stand in for the models of a study, unless real ones have answered it."""
    if provider:
        from python_assets.published.refuse_simulation import refuse_simulation

        refuse_simulation(paths.home(), study_id)
        os.environ["PLUMBLINE_PROVIDER"] = provider


def _study_to_run(study: str, wave: str | None = None) -> "Study":
    """A study as it would be run: with the stand-in for its models, where there is one, in its wave."""
    from python_assets.study_file.load import load_study

    is_simulated = bool(os.environ.get("PLUMBLINE_PROVIDER"))
    return load_study(paths.study_path(study), simulated=is_simulated, wave=wave)


def _require_ready(study_id: str, look: int | None, wave: str | None) -> "Study":
    """Tell the user's own mistakes before Dagster and dbt are loaded, which takes many times as long."""
    from python_assets.plan.costs import require_budget
    from python_assets.plan.requested import require_hypotheses
    from python_assets.plan.would_fail import require_ready
    from python_assets.published.query import require_names_of_today
    from python_assets.warehouse.chain import require_clock
    from python_assets.warehouse.looks import look_to_ask

    require_names_of_today(paths.home().published)
    require_clock(paths.home())
    study = _study_to_run(study_id, wave)
    require_ready(study)
    require_hypotheses(study)
    require_budget(study)
    look_to_ask(study, paths.home(), look)
    return study


def _plan(parsed: argparse.Namespace) -> int:
    """Print the plan; the exit code is that of a run, as far as what is wrong can be known beforehand."""
    from python_assets.plan.plan import plan_study
    from python_assets.plan.would_fail import require_ready, would_fail

    _stand_in(parsed.provider, paths.study_path(parsed.study).stem)
    study = _study_to_run(parsed.study, parsed.wave)
    if parsed.branches:
        from python_assets.plan.assembling import list_branches

        print(printable(list_branches(study)))
        return 0
    if parsed.add is not None:
        return _print_cells_to_add(study, parsed.add)
    try:
        plan = plan_study(study)
    except PlumblineError:
        require_ready(study)  # what a run would say is said first
        raise
    preregistered = ""
    if parsed.preregister:
        from python_assets.warehouse.preregistration import preregister

        preregistered = f"\n\n{preregister(study, paths.home(), plan.hypotheses).text(study.study_id)}"
        plan = plan._replace(would_fail=list(would_fail(study)))  # looks need what is frozen by now
    print(printable(f"{plan.text()}{preregistered}"))
    return _MISTAKE if plan.would_fail or plan.spent or plan.gates else 0


def _print_cells_to_add(study: "Study", n_cells: int) -> int:
    from python_assets.plan.added_cells import as_csv, cells_to_add

    cells = cells_to_add(study, n_cells)
    print(printable(as_csv(study, cells)), end="")
    if len(cells) < n_cells:
        print(f"After {len(cells):,} prompts no gap is left.", file=sys.stderr)
    return 0


def _list(parsed: argparse.Namespace) -> int:
    from python_assets.published.runs import as_json, as_table, runs_of

    rows = runs_of(paths.home())
    print(as_json(rows) if parsed.json else as_table(rows))
    return 0


def _open(parsed: argparse.Namespace) -> int:
    import webbrowser

    from python_assets.published.reports import print_pdf, report_path

    path = report_path(paths.home(), Path(parsed.study).stem, parsed.run).absolute()
    if parsed.pdf is not None:
        print_pdf(path, parsed.pdf)
        print(parsed.pdf)
        return 0
    print(path, flush=True)
    webbrowser.open(path.as_uri())  # which does nothing where there is no browser
    return 0


def _drop(parsed: argparse.Namespace) -> int:
    from python_assets.published.drop import drop, loss_of

    loss = loss_of(paths.home(), parsed.name)
    print(printable(loss.text(paths.home())))
    if not (parsed.yes or _agreed("Drop it? yes/no: ", "yes")):
        print("Nothing was dropped.")
        return _MISTAKE
    print(f"Dropped. Readers see publication {drop(paths.home(), loss)}.")
    if not loss.run_id:
        from python_assets.report.audits.write_audit import rewrite_audits

        for audit in rewrite_audits(paths.home(), loss.study_id):
            print(printable(f"Report of audit {audit.findings['audit']}, written anew: {audit.page}"))
    return 0


def _sample(parsed: argparse.Namespace) -> int:
    from python_assets.labelling.sample import draw_answers, draw_pairs
    from python_assets.labelling.sheets import SHEET_SUFFIXES
    from python_assets.labelling.written_sheets import write_sheet
    from python_assets.study_file.load import load_study

    study = load_study(paths.study_path(parsed.study), check_files=False)
    seed = study.seed if parsed.seed is None else parsed.seed
    if parsed.pairs is not None:
        answer_options = [name for name in ("root_prompts", "slice") if getattr(parsed, name) is not None]
        if answer_options or parsed.with_prompt:
            raise _misused("--pairs with options of answers", "--pairs N with --seed, --format, --question and --out")
        drawn = draw_pairs(study, paths.home(), parsed.pairs, seed=seed, question=parsed.question)
    else:
        if parsed.root_prompts is None:
            raise _misused("--measure without --root-prompts", "both: people label whole root prompts")
        drawn = draw_answers(
            study,
            paths.home(),
            parsed.measure,
            parsed.root_prompts,
            seed=seed,
            slice_id=parsed.slice or ALL_PROMPTS,
            question=parsed.question,
            with_prompt=parsed.with_prompt,
        )
    files = write_sheet(drawn, parsed.out or Path(drawn.name + SHEET_SUFFIXES[parsed.format]), parsed.format)
    print(printable(drawn.text(files)))
    return 0


def _misused(got: str, expected: str) -> PlumblineError:
    return PlumblineError("plumbline label-sheet", got, expected, "correct the command")


def _gate(parsed: argparse.Namespace) -> int:
    from python_assets.gate.both_runs import both_runs, comparison_home, write_comparison
    from python_assets.gate.moved import read_gate, require_margins
    from python_assets.gate.outcomes import require_outcomes_alike
    from python_assets.gate.page import write_gate_page
    from python_assets.gate.text import text
    from python_assets.published.keep_changes import keep_changes
    from python_assets.report.write_report import write_report
    from python_assets.study_file.load import load_study
    from python_assets.warehouse.build import utc_now

    readers_home = paths.home()
    if parsed.report:
        _require_page(parsed.report)
    runs = both_runs(readers_home, Path(parsed.study).stem, parsed.against)
    with comparison_home(readers_home) as home:
        study = load_study(write_comparison(runs, home.root))
        require_margins(study)
        # a run of its own, which neither readers nor Dagster's history see
        os.environ.update(
            PLUMBLINE_HOME=str(home.root), PLUMBLINE_STUDIES=str(study.folder), DAGSTER_HOME=str(home.root / "dagster")
        )
        _materialise(study.study_id)
        gate = read_gate(home.published, study)._replace(read_alike=require_outcomes_alike(runs, home.published))
    print(printable(text(gate, runs)), flush=True)
    if parsed.report:
        write_gate_page(gate, runs, parsed.report)
    pair = runs.now.run_id, runs.then.run_id
    if not keep_changes(readers_home, runs.study_id, pair, gate.rows(utc_now()), write_report):
        print(printable(f"Table run_changes lacks it: run {runs.study_id} again and gate that run."), file=sys.stderr)
    if not len(gate.compared):
        return MISTAKE_AT_GATE  # nothing is known, which is no pass
    return _MOVED if len(gate.moved) else 0


def _require_page(path: Path) -> None:
    """See that a page can be written, before anything is compared."""
    problem = unwritable(path.absolute().parent)
    if problem or path.is_dir():
        got = problem.got if problem else "a folder"
        raise PlumblineError(f"--report {path}", got, "a file that can be written", "name another one")


def _verify(parsed: argparse.Namespace) -> int:
    from python_assets.published.verify import verify

    done = verify(paths.home(), parsed.study and Path(parsed.study).stem)
    print(printable(done.text()))
    return _MISTAKE if done.faults else 0


def _sql(parsed: argparse.Namespace) -> int:
    from python_assets.published.query import print_query

    print_query(paths.home().published, parsed.query, parsed.format)
    return 0


def _export(parsed: argparse.Namespace) -> int:
    got = f"--stage {parsed.stage} --format {parsed.format}"
    if (parsed.stage == REQUESTS) != (parsed.format == OPENAI_BATCH):
        expected = f"--stage {REQUESTS} with --format {OPENAI_BATCH}, and neither without the other"
        raise PlumblineError("plumbline export", got, expected, "correct the command")
    if parsed.stage == PAIRS and parsed.format != "jsonl":
        raise PlumblineError("plumbline export", got, f"--stage {PAIRS} with --format jsonl", "correct the command")
    if parsed.wave is not None and parsed.stage != REQUESTS:
        got, expected = f"--wave with --stage {parsed.stage}", f"--wave with --stage {REQUESTS} alone"
        raise PlumblineError("plumbline export", got, expected, "leave it out: what was published last is copied")
    if parsed.stage == REQUESTS:
        return _export_requests(parsed)
    if parsed.stage == PAIRS:
        return _export_pairs(parsed)
    from python_assets.published.export import export_study

    done = export_study(
        paths.home(), parsed.study, parsed.stage, parsed.format, parsed.to, escapes_formulas=not parsed.as_is
    )
    for name, n_rows in done.n_rows.items():
        print(f"{done.folder / name}: {n_rows:,} rows")
    print(printable(f"Licences of the documents: {done.licence_summary}."))
    return 0


def _export_pairs(parsed: argparse.Namespace) -> int:
    from python_assets.labelling.preference_pairs import write_preference_pairs
    from python_assets.study.problems import plural

    done = write_preference_pairs(paths.home(), parsed.study, parsed.to)
    print(f"{done.path}: {plural(done.n_pairs, 'pair')}")
    if done.n_naming_others:
        print(f"Left out: {plural(done.n_naming_others, 'pair')} whose better answer names the group that it is about.")
    if not done.n_groups:
        print("No group of all prompts was found at a disadvantage in the mean of a measure with a direction.")
    return 0


def _export_requests(parsed: argparse.Namespace) -> int:
    from python_assets.plan.batches import write_requests

    done = write_requests(_study_to_run(parsed.study, parsed.wave), parsed.to)
    for path, n_lines in done.files.items():
        print(f"{path}: {n_lines:,} requests")
    if not done.files:
        print("Nothing is left to ask.")
    if done.left_out:
        print(printable(f"Left to plumbline run: {', '.join(done.left_out)}."))
    return 0


def _import_batch(parsed: argparse.Namespace) -> int:
    from python_assets.plan.batches import import_results, told_import

    for line in told_import(import_results(_study_to_run(parsed.study, parsed.wave), parsed.files)):
        print(printable(line))
    return 0


def _tables(parsed: argparse.Namespace) -> int:
    from python_assets.report.tables.write_tables import write_tables

    done = write_tables(paths.home(), parsed.study, parsed.document, parsed.out)
    for table in done.tables:
        print(printable(f"{done.folder / table.file}: {table.told()}"))
    print(done.page)
    return 0


def _dashboards(parsed: argparse.Namespace) -> int:
    from python_assets.report.superset.write_bundle import write_bundle

    done = write_bundle(paths.home(), parsed.superset)
    print(f"{done.path}: {done.n_charts} charts of {done.n_datasets} views")
    return 0


def _new(parsed: argparse.Namespace) -> int:
    if parsed.source is None:
        from python_assets.study_file.new_study import new_study

        path = new_study(parsed.name, paths.studies_folder())
    else:
        from python_assets.audit.benchmarks import copy_of_benchmark

        path = copy_of_benchmark(parsed.name, parsed.source, paths.studies_folder())
    print(f"Wrote {path}. Next: plumbline plan {path.stem}")
    return 0


def _ui(parsed: argparse.Namespace) -> int:
    _dagster_home()
    from dagster_project.ui import serve

    serve(parsed.port)
    return 0


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _amount(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError(text)
    return number


def _named(text: str) -> str:
    if not text.strip():
        raise ValueError(text)
    return text


def _partition(study: str) -> str:
    """The partition of a study that is named or whose file is; a file elsewhere moves the studies folder."""
    path = paths.study_path(study)
    os.environ["PLUMBLINE_STUDIES"] = str(path.parent)
    return path.stem


def _dagster_home() -> None:
    home = Path(os.environ.setdefault("DAGSTER_HOME", str(paths.base() / ".dagster")))
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "dagster.yaml").exists():
        (home / "dagster.yaml").write_text(DAGSTER_YAML, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
