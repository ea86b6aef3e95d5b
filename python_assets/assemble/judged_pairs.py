"""Pairs of a root prompt and its branch, shown to an engine that says whether the branch is a minimal pair.

What no rule sees an engine may: that a branch presupposes what its level does not have, or keeps a fact of
the source. It is asked four questions in one (pair_questions.py), of pairs of known verdict first
(planted_pairs.py). A refused pair makes no prompt; it is in quarantine with what the judge said.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from python_assets.assemble.branching import Branched, branch_id
from python_assets.assemble.methods import MethodJob
from python_assets.assemble.pair_questions import JudgeVerdict, PromptPair, pair_inquiry, read_verdict
from python_assets.assemble.planted_pairs import STAGE, JudgeTrial, try_judge
from python_assets.assemble.prompts import AssembledPrompt
from python_assets.providers.engine import Reply, ask_engine
from python_assets.study.prompts import REFUSED_BY_JUDGE, UNUSABLE_VERDICT
from python_assets.warehouse.build import Quarantined


class JudgedPairs(NamedTuple):
    """The branches that the judge let pass, the others by the id that their prompt would have had, its trial."""

    branched: Branched
    quarantine: list[Quarantined]
    trial: JudgeTrial | None


def judge_pairs(
    job: MethodJob, factor: str, engine: str, roots: Sequence[AssembledPrompt], branched: Branched
) -> JudgedPairs:
    """Keep the branches of which the judge answers all four questions with yes.

    Args:
        job: the study, and whether its engines may be asked.
        factor: the factor that branches change.
        engine: the judge.
        roots: root prompts.
        branched: their branches.

    Returns:
        The branches that pass; dropped and in quarantine are besides those with refused_by_judge, which says
        the questions that failed, and with unusable_verdict where a question has no answer.

    Raises:
        SourceError: the judge cannot tell planted bad pairs from good ones.
        OfflineError, StudyError, ProviderError: as ask_engine.
    """
    if not branched.branches:
        return JudgedPairs(branched, [], None)
    trial = try_judge(job, engine)
    by_id = {root.prompt_id: root for root in roots}
    pairs = [_pair(factor, by_id[branch.root_prompt_id], branch) for branch in branched.branches]
    inquiries = [pair_inquiry(branch.prompt_id, pair) for branch, pair in zip(branched.branches, pairs, strict=True)]
    replies = ask_engine(job.study, job.run_context, engine, STAGE, inquiries)
    kept, quarantine = [], []
    for branch, pair, reply in zip(branched.branches, pairs, replies, strict=True):
        verdict = read_verdict(reply)
        if verdict.passes:
            kept.append(branch)
        else:
            quarantine.append(_quarantined(engine, branch.prompt_id, pair, reply, verdict))
    refused = {one.record_key: one.rule for one in quarantine}
    outcomes = [
        one._replace(dropped_reason=refused.get(branch_id(one.root_prompt_id, one.level), one.dropped_reason))
        for one in branched.outcomes
    ]
    return JudgedPairs(Branched(kept, outcomes), quarantine, trial)


def _pair(factor: str, root: AssembledPrompt, branch: AssembledPrompt) -> PromptPair:
    return PromptPair(root.levels[factor], branch.levels[factor], root.prompt_text, branch.prompt_text)


def _quarantined(engine: str, prompt_id: str, pair: PromptPair, reply: Reply, verdict: JudgeVerdict) -> Quarantined:
    rule = REFUSED_BY_JUDGE if verdict.is_usable else UNUSABLE_VERDICT
    answer = f"answered no to {', '.join(verdict.failed)}" if verdict.is_usable else f"replied {reply.text!r}"
    if not reply.is_whole:
        flags = " and ".join(flag.removeprefix("is_") for flag in reply.flags)
        answer = f"gave no reply that can be used ({reply.error or flags})"
    shown = f"{engine} was shown {pair.root!r} with {pair.branch!r} and {answer}"
    record = {
        "root_prompt_text": pair.root,
        "prompt_text": pair.branch,
        "failed": verdict.failed,
        "answers": verdict.answers,
        **reply._asdict(),
    }
    return Quarantined(prompt_id, rule, f"assemble: branch.check: {shown}", json.dumps(record, ensure_ascii=False))
