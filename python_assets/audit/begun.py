"""What of an audit is there already, and what of it may still be changed: everything until an answer is paid for.

Belongs here: an audit's record compared with what a command asks for. Study files are prepare.py.
"""

import hashlib
from pathlib import Path
from typing import Final, NamedTuple

from python_assets.audit.costs import FULL, QUICK
from python_assets.audit.models import AuditedModel
from python_assets.errors import AuditError
from python_assets.report.audits.record import Record, read_record
from python_assets.study.problems import plural
from python_assets.study.study import ID_PATTERN
from python_assets.warehouse.build import Home

OTHER_NAME: Final = "choose another name: --name NAME"
_OPTION: Final = {FULL: "--full", QUICK: "--quick"}


class AuditBudget(NamedTuple):
    """The most that an audit may spend, in all of its studies; None where it has no bound."""

    calls: int | None = None
    usd: float | None = None


class Wanted(NamedTuple):
    """What a command asks for; design: quick, full, or None for the one that was begun, quick for a new audit."""

    name: str
    benchmarks: list[str]
    models: list[AuditedModel]
    design: str | None = None
    budget: AuditBudget = AuditBudget()
    is_simulated: bool = False


class StudyState(NamedTuple):
    """The state of a study of an audit on this machine.

    Attributes:
        study_id: its name.
        path: of its file, which may not be there.
        text_sha256: of its file; None where it is not there.
        written_sha256: of its file as the audit wrote it; None where the audit did not.
        n_answers: in its response logs.
        published: the version that is published; None where none is.
    """

    study_id: str
    path: Path
    text_sha256: str | None
    written_sha256: str | None
    n_answers: int
    published: str | None

    @property
    def is_paid(self) -> bool:
        """Whether answers are there, in its logs or published."""
        return self.n_answers > 0 or self.published is not None

    @property
    def is_edited(self) -> bool:
        """Whether its file is there and is not as the audit wrote it."""
        return self.text_sha256 is not None and self.text_sha256 != self.written_sha256

    @property
    def is_kept(self) -> bool:
        """Whether its file is kept."""
        return self.text_sha256 is not None and (self.is_edited or self.is_paid)


class Audit(NamedTuple):
    """An audit that a command asks for.

    Attributes:
        record: its new record.
        models: who is asked.
        states: of its studies, by benchmark in the order requested.
        is_begun: whether any of its studies has an answer, so that models and design stay.
        budget: of this call.
    """

    record: Record
    models: list[AuditedModel]
    states: dict[str, StudyState]
    is_begun: bool
    budget: AuditBudget

    @property
    def design(self) -> str:
        """Quick or full."""
        return self.record.design


def audit_to_be(wanted: Wanted, studies: Path, home: Home) -> Audit:
    """Hold what a command asks for against the audit of that name.

    Args:
        wanted: what is asked for.
        studies: where study files lie.
        home: the warehouse.

    Raises:
        AuditError: the name cannot be one, or the audit has answers of other models or another design.
        WarehouseError: its record is damaged.
    """
    if not ID_PATTERN.match(wanted.name):
        problem = f'expected lower-case letters, digits and _, a letter first, got "{wanted.name}"'
        raise AuditError("--name", problem, remedy="Choose another name")
    there = read_record(home, wanted.name, or_none=True)
    published = _published(home)
    files = {} if there is None else there.files

    def state(study_id: str) -> StudyState:
        path = studies / f"{study_id}.yml"
        return StudyState(
            study_id=study_id,
            path=path,
            text_sha256=sha256_of(path.read_bytes()) if path.is_file() else None,
            written_sha256=files.get(study_id),
            n_answers=sum(map(_n_answers, sorted(home.responses(study_id).glob("*.jsonl")))),
            published=published.get(study_id),
        )

    requested = {benchmark: study_id_of(wanted.name, benchmark) for benchmark in wanted.benchmarks}
    states = {benchmark: state(study_id) for benchmark, study_id in requested.items()}
    new = Record(
        name=wanted.name,
        design=wanted.design or QUICK,
        models=[f"{one.provider}:{one.model}" for one in wanted.models],
        studies=requested,
        is_simulated=wanted.is_simulated,
        files=files,
        skipped={} if there is None else there.skipped,
    )
    if there is None:
        return Audit(new, wanted.models, states, is_begun=False, budget=wanted.budget)
    begun = {benchmark: state(study_id) for benchmark, study_id in there.studies.items()}
    paid = {benchmark: one for benchmark, one in begun.items() if one.is_paid}
    if paid:
        _require_same(wanted, new, there, sum(one.n_answers for one in paid.values()))
        kept = {benchmark: one.study_id for benchmark, one in paid.items()}  # others were perhaps never agreed to
        new = new._replace(design=there.design, studies=kept | requested)
    elif wanted.design is None or all(one.is_edited for one in states.values()):
        new = new._replace(design=there.design)  # files that stay have the design that they were written with
    return Audit(new, wanted.models, states, is_begun=bool(paid), budget=wanted.budget)


def study_id_of(audit: str, benchmark: str) -> str:
    """The study of a benchmark in an audit."""
    return f"{audit}_{benchmark}"


def sha256_of(content: bytes) -> str:
    """The sha256 of a study file."""
    return hashlib.sha256(content).hexdigest()


def _require_same(wanted: Wanted, new: Record, there: Record, n_answers: int) -> None:
    """Refuse other models, and another design where one is named, once answers are there."""
    has = f"audit {there.name} has {plural(n_answers, 'answer')}" if n_answers else f"audit {there.name} has a report"
    if new.models != there.models:
        problem = f"{has} of {', '.join(there.models)}, not of {', '.join(new.models)}"
        raise AuditError("--model", problem, remedy=f"Name these models, or {OTHER_NAME}")
    if new.is_simulated != there.is_simulated:
        problem = f"{has} of {'the simulator' if there.is_simulated else 'the models themselves'}"
        fix = "Add --provider simulator" if there.is_simulated else "Leave --provider out"
        raise AuditError("--provider", problem, remedy=f"{fix}, or {OTHER_NAME}")
    if wanted.design is not None and wanted.design != there.design:
        problem = f"{has} of the {there.design} design"
        raise AuditError(_OPTION[wanted.design], problem, remedy=f"Leave it out to go on, or {OTHER_NAME}")


def _published(home: Home) -> dict[str, str]:
    """The version of each study that is published."""
    if not home.published.exists():
        return {}
    from python_assets.published.query import open_published

    with open_published(home.published) as connection:
        return dict(connection.execute("select study_id, config_sha256 from studies").fetchall())


def _n_answers(log: Path) -> int:
    """Answers in a response log, without errors."""
    # by the bytes that log.py writes: to parse 40,000 lines takes longer than a first line may; in texts, quotes are
    # escaped
    with log.open("rb") as lines:
        return sum(line.startswith(b'{"response_id":') and b'"error":null' in line for line in lines)
