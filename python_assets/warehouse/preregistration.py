"""Freezing an analysis: its hash and the time, kept before the responses exist.

Belongs here: what of a study file is the analysis, and the file of freezes. Whether a finding was declared
before the responses is said by dbt, from the two columns of raw.studies.
"""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from python_assets.errors import WarehouseError
from python_assets.registry import source_sha256
from python_assets.study.base import ALL_PROMPTS, CALIBRATIONS, NEGATIVE_CONTROL, REPLAY
from python_assets.study.study import Study
from python_assets.warehouse.build import Home
from python_assets.warehouse.chain import (
    TELL_MORE,
    Chain,
    clock_of,
    is_whole,
    open_chain,
    preregistration_entry,
    read_chain,
    records_of,
    sha256_of,
)
from python_assets.warehouse.lines import TIME, append_line, canonical

SECTIONS: Final = ("analysis", "baseline", "groupings", "measures", "negative_controls", "slices", "unit")
# families whose hypotheses are counted, and listed in the file alone
UNLISTED: Final = ("secondary", "undecided", "pooled", "baseline")
MOST_HYPOTHESES: Final = 60


class Preregistration(NamedTuple):
    """An analysis that is frozen.

    is_new: whether it was not before. has_responses: whether a model had answered the study by then.
    has_imported: whether a generation of the study replays imported responses. hypotheses: every one that the study
    asks as it is now, with its set; None where a plan does not know them yet.
    """

    sha256: str
    preregistered_at: datetime
    content: dict[str, Any]
    is_new: bool
    has_responses: bool
    has_imported: bool
    hypotheses: list[dict[str, str]] | None = None

    def text(self, study_id: str) -> str:
        """What is frozen, for a terminal."""
        analysis = self.content["analysis"]
        analysis_keys = ("statistics", "reference", "contrasts", "primary", "families", "margins", "looks")
        facts = {
            "alpha": analysis["alpha"],
            "permutations": analysis["permutations"],
            "measures": [measure["name"] for measure in self.content["measures"]],
            "groupings": [name for name in self.content["references"] if name != NEGATIVE_CONTROL],
            **({"controls": _controls(controls)} if (controls := self.content.get("negative_controls")) else {}),
            "slices": [ALL_PROMPTS, *(_slice(*item) for item in self.content["slices"].items())],
            **{key: analysis.get(key) for key in analysis_keys},  # primary is absent where the rule holds
        }
        since = "now" if self.is_new else "before, unchanged since"
        lines = [f"Analysis of {study_id} frozen {since}: {self.preregistered_at:{TIME}}, sha256 {self.sha256}"]
        lines += [f"  {key:<13}{_shown(value)}" for key, value in facts.items()]
        lines += _listed_hypotheses(self.hypotheses)
        if self.is_new and self.has_responses:
            lines.append("The study has responses already: what they show was declared after them.")
        if self.has_imported:
            lines.append("Imported responses carry no time of request: findings on them stay exploratory.")
        return "\n".join(lines)


def analysis_of(study: Study) -> dict[str, Any]:
    """What is compared, how, and how sure it must be, with every default written out.

    Raises:
        StudyError: the file of a statistic of the study's own is gone.
    """
    config = json.loads(study.config_json)
    # a statistic that is a function is what its file says; without any, the hash is what it was before there were such
    paths = study.analysis.statistic_functions.values()
    functions = {path: source_sha256(path, study.folder) for path in paths}
    return {
        **({"functions": functions} if functions else {}),
        **{section: config[section] for section in SECTIONS if section in config},
        "analysis": {**config["analysis"], "margins": study.margins},
        "references": {
            grouping: [str(against), group_id] for grouping, (against, group_id) in study.references.items()
        },
    }


def analysis_sha256(study: Study) -> str:
    """Hash of the analysis as canonical JSON, negative controls with it; comments, prompts and systems are not."""
    return sha256_of(analysis_of(study))


def preregister(study: Study, home: Home, hypotheses: list[dict[str, str]] | None = None) -> Preregistration:
    """Keep the hash of the analysis, the questions and the time; what is frozen already keeps its first time.

    Args:
        study: read and found valid.
        home: its warehouse.
        hypotheses: that it asks, each with its set and the keys of table hypotheses; None where they are not known.

    Raises:
        WarehouseError: the file of freezes cannot be written.
    """
    content, key = analysis_of(study), analysis_sha256(study)
    logs = home.responses(study.study_id).glob("*.jsonl")
    has_responses = any("." not in log.stem for log in logs)  # <engine>.<stage> holds what engines wrote
    has_imported = any(system.spec.provider == REPLAY for system in study.systems)
    with open_chain(home) as chain:
        _take_in(chain, home, study.study_id)
        known = preregistered_at(study, home)
        # questions were not known then, or a generation has come; the time stays
        is_listed = any(listed == hypotheses for sha256, _, listed in _preregistrations(study, home) if sha256 == key)
        if not known or (hypotheses is not None and not is_listed):
            at = chain.now.strftime(TIME)
            record = {"analysis_sha256": key, "preregistered_at": at, "analysis": content, "hypotheses": hypotheses}
            append_line(home.preregistrations(study.study_id), canonical(record))
            chain.add(preregistration_entry(study.study_id, record))
        now = chain.now
    return Preregistration(
        sha256=key,
        preregistered_at=known or now,
        content=content,
        is_new=not known,
        has_responses=has_responses,
        has_imported=has_imported,
        hypotheses=hypotheses,
    )


def _take_in(chain: Chain, home: Home, study_id: str) -> None:
    """Chain, as of now, what a kill left between the file of freezes and the chain; nothing that is back-dated."""
    last = chain.lines[-1].at if chain.lines else ""
    for record in records_of(home.preregistrations(study_id)):
        entry = preregistration_entry(study_id, record)
        if last <= record["preregistered_at"] <= chain.now.strftime(TIME) and is_whole(record):
            chain.add(entry)


def preregistered_at(study: Study, home: Home) -> datetime | None:
    """When the analysis of a study was first frozen as it is now; None where it never was.

    Raises:
        WarehouseError: the file of freezes cannot be read, or a freeze is not what its hash or the chain says.
    """
    key = analysis_sha256(study)
    return min((at for sha256, at, _ in _preregistrations(study, home) if sha256 == key), default=None)


def corrected_when_preregistered(study: Study, home: Home) -> set[str] | None:
    """The measures whose corrected values were asked when the analysis was first frozen as it is now.

    Returns:
        None where it never was, or the questions were not known then: labels that came later change nothing that is
        frozen.

    Raises:
        WarehouseError: the file of freezes cannot be read.
    """
    key = analysis_sha256(study)
    preregistered = (listed for sha256, _, listed in _preregistrations(study, home) if sha256 == key)
    listed = next((one for one in preregistered if isinstance(one, list)), None)
    if listed is None:
        return None
    return {
        row["measure_id"] for row in listed if row["calibration"] == "corrected" and row["family_id"] not in UNLISTED
    }


def _preregistrations(study: Study, home: Home) -> Iterator[tuple[str, datetime, object]]:
    """Hash, time and questions of every freeze that counts: those of the chain, at the time that they came into it.

    What was there before the chain counts at its own word. A line that is in no chain freezes nothing.
    """
    path, records = home.preregistrations(study.study_id), records_of(home.preregistrations(study.study_id))
    for record in records:
        _require_whole(path, record)
    lines = read_chain(home)
    by_hash = {sha256_of(record): record for record in records}
    if not lines:
        yield from (_counted(record, record["preregistered_at"]) for record in records)
    for entry, at in ((line.entry, line.at) for line in lines):
        if entry.kind == "preregistration" and entry.study_id == study.study_id:
            record = by_hash.get(entry.content_sha256, {})
            if not record:
                got = f"no freeze of sha256 {entry.subject} as it was chained at {at}: it was changed or taken out"
                raise WarehouseError(path, got, "every freeze of the chain", f"put the file back; {TELL_MORE}")
            yield _counted(record, record["preregistered_at"] if entry.is_earlier else at)


def _counted(record: dict[str, Any], at: str) -> tuple[str, datetime, object]:
    return record["analysis_sha256"], datetime.strptime(at, TIME), record.get("hypotheses")


def _require_whole(path: Path, record: dict[str, Any]) -> None:
    """See that a freeze is of what its hash says, and of a time that has been."""
    key, at = record["analysis_sha256"], record["preregistered_at"]
    if not is_whole(record):
        got, expected = f"a freeze of {at} whose analysis is not that of sha256 {key}", "freezes as they were written"
        raise WarehouseError(path, got, expected, f"put the file back; {TELL_MORE}")
    clock_of(path, at)


def _listed_hypotheses(hypotheses: list[dict[str, str]] | None) -> list[str]:
    """The questions, a line each of those that a study is about; of the others how many there are."""
    if hypotheses is None:
        return ["  questions    not known before the sources are fetched: freeze again after that to keep them"]
    sets = Counter(row["family_id"] for row in hypotheses)
    lines = [f"  questions    {', '.join(f'{name} {n:,}' for name, n in sets.items()) or 'none'}"]
    named = [row for row in hypotheses if row["family_id"] not in UNLISTED]
    lines += [f"    {row['family_id']}: {_hypothesis(row)}" for row in named[:MOST_HYPOTHESES]]
    if any(row["calibration"] == "corrected" for row in named):
        lines.append("    corrected: where people labelled enough whole root prompts, raw elsewhere")
    if (more := len(named) - MOST_HYPOTHESES) > 0:
        lines.append(f"    and {more:,} more, which the file of freezes lists with all others")
    return lines


def _hypothesis(row: dict[str, str]) -> str:
    against = f" against {row['reference_system_id']}" if row["reference_system_id"] else ""
    measure = f"{CALIBRATIONS[row['calibration']]} {row['measure_id']}".lstrip()
    options = f" ({row['parameters']})" if row["parameters"] else ""
    by = f" by {row['grouping_id']}" if row["grouping_id"] else ""
    in_slice = f" in {row['slice_id']}" if row["slice_id"] != ALL_PROMPTS else ""
    statistic = row["statistic"].replace("_", " ")
    return f"{row['system_id']}{against}, {statistic}{options} of {measure}{by}{in_slice}"


def _controls(controls: dict[str, Any]) -> list[str]:
    return [*controls["levels"]] if "levels" in controls else [edit["name"] for edit in controls["edits"]]


def _slice(name: str, conditions: object) -> str:
    return f"each {conditions}" if name == "each" else name


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) and value else str(value or "none")
