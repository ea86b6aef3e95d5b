"""Pairs of known verdict, put to the judge of branches before any branch: how far it can be trusted.

They are planted_pairs.yml; the judge is asked about them in the words of every other pair.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd
import yaml

from python_assets.assemble.methods import MethodJob
from python_assets.assemble.pair_questions import PAIR_QUESTIONS, JudgeVerdict, PromptPair, pair_inquiry, read_verdict
from python_assets.errors import SourceError
from python_assets.providers.engine import ask_engine
from python_assets.study.study import make_id
from python_assets.texts.yaml_loader import LOADER
from python_assets.warehouse.raw_tables import columns_of

STAGE: Final = "assemble"
NONE_PLANTED: Final = pd.DataFrame(columns=columns_of("planted_pairs"))
_PAIRS: Final = Path(__file__).with_name("planted_pairs.yml")


class PlantedPair(NamedTuple):
    """A pair with its kind of group, and the question that it fails; None of a good one."""

    pair_id: str
    kind: str
    pair: PromptPair
    fault: str | None


class JudgeFound(NamedTuple):
    """What a judge said of the planted pairs.

    n_found: bad ones that it refused. n_refused, n_passed: good ones by what it said; n_unusable: pairs
    of both sorts of which it said nothing that can be used.
    """

    judge: str
    n_bad: int
    n_found: int
    n_good: int
    n_refused: int
    n_passed: int
    n_unusable: int

    @property
    def note(self) -> str:
        """In words."""
        unusable = f", and of {self.n_unusable} pairs its reply could not be used" if self.n_unusable else ""
        return (
            f"prompts.branch.check: the judge {self.judge} found {self.n_found} of {self.n_bad} planted bad pairs and "
            f"refused {self.n_refused} of {self.n_good} good ones{unusable}"
        )


class JudgeTrial(NamedTuple):
    """Counts, and the rows of raw.planted_pairs."""

    found: JudgeFound
    rows: pd.DataFrame


@cache
def planted_pairs() -> list[PlantedPair]:
    """All of them, kind after kind."""
    return list(_read(yaml.load(_PAIRS.read_bytes(), LOADER)))


def try_judge(job: MethodJob, engine: str) -> JudgeTrial:
    """Ask the judge about the planted pairs.

    Args:
        job: the study, and whether its engines may be asked.
        engine: the judge.

    Raises:
        SourceError: it finds less than half of the bad pairs, or lets less than half of the good ones pass.
        OfflineError, StudyError, ProviderError: as ask_engine.
    """
    pairs = planted_pairs()
    inquiries = [pair_inquiry(f"planted | {one.pair_id}", one.pair, one.fault) for one in pairs]
    replies = ask_engine(job.study, job.run_context, engine, STAGE, inquiries)
    verdicts = [read_verdict(reply) for reply in replies]
    counts = _found(engine, pairs, verdicts)
    if 2 * counts.n_found < counts.n_bad or 2 * counts.n_passed < counts.n_good:
        raise SourceError(
            (job.study.path, "prompts", "branch", "check"),
            f"{engine}, which found {counts.n_found} of {counts.n_bad} planted bad pairs, let {counts.n_passed} of "
            f"{counts.n_good} good ones pass, and of {counts.n_unusable} gave no reply that can be used",
            "a judge that finds half of the bad pairs and lets half of the good ones pass, or more",
            "name another engine, or remove check and read the pairs yourself (plumbline label-sheet --pairs)",
        )
    return JudgeTrial(counts, _rows(engine, pairs, verdicts))


def _read(kinds: dict[str, Any]) -> Iterator[PlantedPair]:
    for kind, content in kinds.items():
        for number, one in enumerate(content["pairs"], start=1):
            pair = PromptPair(content["level"], content["target"], one["root"], one["branch"])
            yield PlantedPair(f"{kind} {number}", kind, pair, one.get("fault"))


def _found(engine: str, pairs: Sequence[PlantedPair], verdicts: Sequence[JudgeVerdict]) -> JudgeFound:
    bad = [verdict for one, verdict in zip(pairs, verdicts, strict=True) if one.fault is not None]
    good = [verdict for one, verdict in zip(pairs, verdicts, strict=True) if one.fault is None]
    return JudgeFound(
        judge=engine,
        n_bad=len(bad),
        n_found=sum(bool(verdict.failed) for verdict in bad),
        n_good=len(good),
        n_refused=sum(bool(verdict.failed) for verdict in good),
        n_passed=sum(verdict.passes for verdict in good),
        n_unusable=sum(not verdict.is_usable for verdict in verdicts),
    )


def _rows(engine: str, pairs: Sequence[PlantedPair], verdicts: Sequence[JudgeVerdict]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "system_id": make_id(engine),
            "pair_id": one.pair_id,
            "kind": one.kind,
            "fault": one.fault,
            "root_prompt_text": one.pair.root,
            "prompt_text": one.pair.branch,
            **{question: verdict.answers.get(question) for question in PAIR_QUESTIONS},
        }
        for one, verdict in zip(pairs, verdicts, strict=True)
    ).astype(dict.fromkeys(PAIR_QUESTIONS, "boolean"))
