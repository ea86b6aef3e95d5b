"""Asking an engine: a generation that writes for other stages (questions, articles, analogies, marks).

Belongs here: from inquiries to replies, through the same loop and the same kind of log as every response.
What is asked is the stage's own; reading a reply as data is replies.py, re-exported here.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from python_assets.errors import StudyError
from python_assets.providers.configs import generation_config, log_path
from python_assets.providers.log import read_log
from python_assets.providers.loop import generate, recall
from python_assets.providers.records import Description, Prompt, SystemRun
from python_assets.providers.replies import parse_answers, parse_list, parse_mapping, parse_one_of, parse_yes_no
from python_assets.providers.spending import PROBE, spending_of
from python_assets.study.base import SIMULATOR
from python_assets.study.problems import listed, suggestion
from python_assets.study.study import Study, System, make_id
from python_assets.warehouse.build import Home
from python_assets.warehouse.run_context import OfflineError, RunContext

__all__ = [
    "Inquiry",
    "Reply",
    "ask_engine",
    "engine_descriptions",
    "engine_of",
    "fence_of",
    "parse_answers",
    "parse_list",
    "parse_mapping",
    "parse_one_of",
    "parse_yes_no",
    "probe_judges",
]

_FENCE: Final = 10


class Inquiry(NamedTuple):
    """One thing to ask an engine.

    Attributes:
        key: names it within its stage and call, for example 'question | doc#3 | 1'.
        text: the whole user message.
        facts: what the simulator needs for a sensible reply. task says what is asked, and beside it stand
            keywords: keyword; article: level, source_tag, and the level by its factor; question: keyword,
            level; answer: question; check: question; related: word, level; pair: level, target, and fault of
            a bad pair that was planted; items: n, theme; analogies: words (a JSON list), level, target; mark:
            options (a JSON list); refusal: outcome (what the rules say). No model sees them.
        repeat: 0, and 1, 2 ... where the same text is asked again for another reply (another seed).
    """

    key: str
    text: str
    facts: Mapping[str, str] = {}
    repeat: int = 0


class Reply(NamedTuple):
    """What an engine said: the text without its reasoning, status and error of a response, its true flags."""

    text: str | None
    status: str
    error: str | None
    flags: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it says something to its end: no error, not refused, empty or cut off."""
        return self.status == "ok" and not self.flags


def ask_engine(
    study: Study, run_context: RunContext | None, engine: str, stage: str, inquiries: Sequence[Inquiry]
) -> list[Reply]:
    """Ask an engine of the study, only for what its log of this stage lacks.

    Args:
        study: the study.
        run_context: where the log lies and whether engines may be asked.
        engine: name of an engine of the study.
        stage: scrape, assemble, generate or extract; each has a log of its own.
        inquiries: with distinct keys; they are asked concurrently.

    Returns:
        One reply an inquiry, in order; what failed has its status, flags and error, and raises nothing.

    Raises:
        OfflineError: nothing may be asked, the log does not hold every reply, and it is no simulator.
        StudyError: the study has no such engine.
        ProviderError: the engine cannot answer at all; what it answered stays in its log.
        BudgetError: what the study may spend is spent.
        UnconfirmedError: the run may not ask so much.
        ValueError: two inquiries have one key.
    """
    system = engine_of(study, engine)
    if not inquiries:
        return []
    prompts = [
        Prompt(
            prompt_id=one.key,
            root_prompt_id=one.key,
            prompt_text=one.text,
            baseline_text=None,
            factors=one.facts,
            task="inquiry",
            first_replicate=one.repeat,
        )
        for one in inquiries
    ]
    answered = _answered(study, run_context, system, stage, prompts)
    return [Reply(row.response_text, row.status, row.error, row.flags) for row in answered.responses]


def engine_of(study: Study, name: str) -> System:
    """The engine of a study by its name as the file writes it.

    Raises:
        StudyError: there is none of that name.
    """
    engine = study.engines.get(make_id(name))
    if engine is None:
        remedy = suggestion(name, study.engines, "name an entry of systems that has engine: true")
        expected = f"an engine of the study: {listed(study.engines)}"
        raise StudyError((study.path, "systems"), name, expected, remedy)
    return engine


def judge_version(study: Study, name: str, rubric: str) -> str:
    """Everything that a mark of an engine depends on besides the text: who marks, and by what."""
    engine, digest = engine_of(study, name), hashlib.sha256(rubric.encode()).hexdigest()[:16]
    return f"judge 1, {engine.spec.provider} {engine.model}, rubric {digest}".replace("  ", " ")


def fence_of(text: str) -> str:
    """A line of equal signs to put before and after a text that is quoted: none in it is as long."""
    return "=" * max([_FENCE, *(len(run) + 1 for run in re.findall("=+", text))])


def _answered(
    study: Study, run_context: RunContext | None, engine: System, stage: str, prompts: list[Prompt]
) -> SystemRun:
    name, config = engine.system_id, generation_config(study, engine)
    if run_context is not None:
        log = log_path(study, run_context.home, f"{name}.{stage}")
        if run_context.may_ask:
            spending = spending_of(study, run_context.home)
            return generate(
                prompts, config, log, run_context.progress, allowance=run_context.allowance, spending=spending
            )
        if known := recall(prompts, config, log):
            return known
    if engine.spec.provider == SIMULATOR:
        # who asks the simulator asks nobody, and it answers a run in the same words
        with TemporaryDirectory() as folder:
            return generate(prompts, config, Path(folder) / f"{name}.{stage}.jsonl")
    got = f"not all answers yet to {len(prompts):,} inquiries of stage {stage}"
    raise OfflineError(f"engine {name!r}", got, remedy=f"ask it with: plumbline run {study.study_id}")


def probe_judges(study: Study, home: Home) -> None:
    """Ask every engine that will mark responses one thing, so that one that cannot answer is known early.

    Raises:
        BudgetError: what the study may spend is spent.
        ProviderError: it cannot answer at all.
    """
    prompt = Prompt(PROBE, PROBE, "Reply with one word: yes", task="inquiry")
    for name in dict.fromkeys(measure.engine for measure in study.measures if measure.engine):
        engine = engine_of(study, name)
        log = log_path(study, home, f"{engine.system_id}.{PROBE}")
        generate([prompt], generation_config(study, engine), log, spending=spending_of(study, home))


def engine_descriptions(study: Study, home: Home) -> list[tuple[System, Description]]:
    """The engines that replied to anything, each with the model behind its latest log."""
    described = []
    for engine in study.engines.values():
        logs = log_path(study, home, engine.system_id).parent.glob(f"{engine.system_id}.*.jsonl")
        latest_first = sorted(logs, key=lambda log: log.stat().st_mtime_ns, reverse=True)
        descriptions = (read_log(log).description for log in latest_first)
        if description := next(filter(None, descriptions), None):
            described.append((engine, description))
    return described
