"""What a study still asks as batch files, and their results into its response logs.

Belongs here: which requests are missing, and whose a result is. The lines are providers/batch_files.py.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from python_assets.errors import StudyError
from python_assets.generate.generate_study import asked_systems, read_prompts
from python_assets.plan.costs import require_budget
from python_assets.plan.requested import IN_MEMORY, assemble_offline
from python_assets.providers.batch_files import (
    BatchResult,
    Refused,
    batch_lines,
    outcome_of_result,
    read_results,
    write_batches,
)
from python_assets.providers.configs import log_path
from python_assets.providers.log import LogContent, LogWriter, read_log, response_line
from python_assets.providers.loop import requests_to_ask
from python_assets.providers.missing import check_prompts, log_description
from python_assets.providers.openai import OpenAI
from python_assets.providers.records import Description, Outcome, Request, SystemConfig
from python_assets.study.problems import listed
from python_assets.study.study import Study
from python_assets.warehouse import paths
from python_assets.warehouse.build import make_folder, open_build

OPENAI = "openai"


class WrittenBatches(NamedTuple):
    """Files with their lines, and the generations that are left to a run: others than OpenAI's protocol asks."""

    files: dict[Path, int]
    left_out: list[str]


class ImportedBatch(NamedTuple):
    """What became of the lines of result files.

    n_new: outcomes that the logs lacked. n_known: what they had already. still_to_ask: requests without an outcome, by
    reason. unknown: places of lines whose custom_id is none of the study's, or that are no results.
    """

    n_new: int
    n_known: int
    still_to_ask: Counter[str]
    unknown: list[str]


class _Missing(NamedTuple):
    """A generation that OpenAI's protocol asks, with all that it asks and what its log lacks of it."""

    provider: OpenAI
    log: Path
    content: LogContent
    requests: list[Request]


def write_requests(study: Study, folder: Path | None) -> WrittenBatches:
    """Write what the logs of a study lack as batch files, some for each generation.

    Args:
        study: its texts and tables are read; nothing is fetched or asked.
        folder: None takes export/STUDY/requests in the warehouse.

    Raises:
        BudgetError: what the study may spend is spent.
        OfflineError: something that prompts are made of is not fetched or asked yet.
        SourceError: a file cannot be read or written.
        StudyError: no generation is asked by OpenAI's protocol.
    """
    require_budget(study)
    missing, left_out = _missing(study)
    if not missing:
        expected = f"a generation of provider {OPENAI} without an extension, whose requests a batch takes"
        raise StudyError((study.path, "systems"), left_out, expected, "ask them with plumbline run")
    target = folder or paths.home().root / "export" / study.study_id / "requests"
    make_folder(target)
    files: dict[Path, int] = {}
    for one in missing:
        check_prompts(one.requests, one.provider)
        files |= write_batches(target, one.provider.config.system_id, batch_lines(one.provider, one.requests))
    return WrittenBatches(files, left_out)


def import_results(study: Study, files: Sequence[Path]) -> ImportedBatch:
    """Write the results of batches to the response logs, as if their requests had been asked.

    What the logs have already stays as it is, so the same file twice changes nothing.

    Args:
        study: whose requests they are.
        files: output and error files, in any order.

    Raises:
        ProviderError: a log cannot be written.
        OfflineError, SourceError: as write_requests.
    """
    missing, _ = _missing(study)
    received = _Received(missing)
    for result in read_results(files):
        received.take(result)
    for one, outcomes in zip(missing, received.outcomes, strict=True):
        if outcomes:
            _write(one, outcomes)
    n_new = sum(map(len, received.outcomes))
    return ImportedBatch(n_new, received.n_known, received.still_to_ask, received.unknown)


class _Received:
    """Results sorted by whose they are: outcomes has a list for each generation, in the order of those."""

    def __init__(self, missing: Sequence[_Missing]) -> None:
        self._missing = missing
        self._waiting: defaultdict[str, list[tuple[int, Request]]] = defaultdict(list)
        for index, one in enumerate(missing):
            for request in one.requests:
                self._waiting[request.response_id].append((index, request))
        self._known = {key for one in missing for key in one.content.outcomes} - set(self._waiting)
        self.outcomes: list[list[tuple[Request, Outcome]]] = [[] for _ in missing]
        self.still_to_ask: Counter[str] = Counter()
        self.unknown: list[str] = []
        self.n_known = 0

    def take(self, result: BatchResult) -> None:
        """Sort in one line."""
        request = self._waiting.get(result.custom_id or "")
        if request and result.record is not None:
            self._take_outcome(request, result.record)
        elif result.custom_id in self._known:
            self.n_known += 1
        else:
            self.unknown.append(result.place)

    def _take_outcome(self, asked: Sequence[tuple[int, Request]], record: dict[str, Any]) -> None:
        outcome = outcome_of_result(self._missing[asked[0][0]].provider, record)
        if isinstance(outcome, Refused):
            self.still_to_ask[outcome.reason] += 1
            return
        for index, request in asked:
            self.outcomes[index].append((request, outcome))
        key = asked[0][1].response_id
        del self._waiting[key]
        self._known.add(key)


def _write(one: _Missing, outcomes: Sequence[tuple[Request, Outcome]]) -> None:
    with LogWriter(one.log, one.content) as writer:
        log_description(writer, one.content, Description(), [request for request, _ in outcomes])
        writer.append(response_line(request, outcome) for request, outcome in outcomes)


def _missing(study: Study) -> tuple[list[_Missing], list[str]]:
    """What each generation of OpenAI's protocol lacks, and the names of the others."""
    home = paths.home()
    with open_build(IN_MEMORY) as connection:
        assemble_offline(study, connection, home)
        prompts = read_prompts(connection)
        missing, left_out = [], []
        for system, config in asked_systems(study, connection, home):
            if not _fits(config):
                left_out.append(system.system_id)
                continue
            log = log_path(study, home, system.system_id)
            content = read_log(log)
            missing.append(_Missing(OpenAI(config), log, content, requests_to_ask(prompts, config, content)))
    return missing, left_out


def _fits(config: SystemConfig) -> bool:
    """Whether one line of a batch is one answer of it."""
    return config.provider == OPENAI and config.extension is None


def told_import(done: ImportedBatch) -> list[str]:
    """What became of the results, one line each."""
    lines = [f"{done.n_new:,} new answers, {done.n_known:,} that the logs had."]
    lines += [f"{n:,} still to ask: {reason}" for reason, n in done.still_to_ask.most_common()]
    if done.unknown:
        places = listed(done.unknown[:5])
        lines.append(f"{len(done.unknown):,} lines left out, which are no results of this study's requests: {places}")
    return lines
