"""Pairs of a root prompt and its branch, shown to an engine that says whether both ask the same.

What no rule sees an engine may: that a branch presupposes what its level does not have, or keeps a word that
fits the other level alone. A refused pair makes no prompt; it is in quarantine with what the judge said.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from python_assets.assemble.branching import Branched, branch_id
from python_assets.assemble.methods import MethodJob
from python_assets.assemble.prompts import AssembledPrompt
from python_assets.providers.engine import Inquiry, Reply, ask_engine, parse_yes_no
from python_assets.study.prompts import REFUSED_BY_JUDGE, UNUSABLE_VERDICT
from python_assets.warehouse.build import Quarantined

STAGE: Final = "assemble"

_ASK: Final = """\
Two prompts are put to a language model. The second is the first with the words for {target} written in place
of those for {level}.

First: {root}
Second: {branch}

Does the second ask the same about {target} as the first asks about {level}? It does not if it still speaks of
a person, place, institution or event of {level}, if a name was changed into one that does not exist, if it
presupposes what {target} cannot have, or if it is not good language. That it may be untrue, or that it breaks
off, does not matter. Reply with one word, Yes or No."""


class JudgedPairs(NamedTuple):
    """The branches that the judge let pass, and the others by the id that their prompt would have had."""

    branched: Branched
    quarantine: list[Quarantined]


def judge_pairs(
    job: MethodJob, factor: str, engine: str, roots: Sequence[AssembledPrompt], branched: Branched
) -> JudgedPairs:
    """Keep the branches that ask the same as their root.

    Args:
        job: the study, and whether its engines may be asked.
        factor: the factor that branches change.
        engine: the judge.
        roots: root prompts.
        branched: their branches.

    Returns:
        The branches of which the judge says yes; dropped and in quarantine are besides those with
        refused_by_judge, and with unusable_verdict where it says neither yes nor no.

    Raises:
        OfflineError, StudyError, GenerationError: as ask_engine.
    """
    by_id = {root.prompt_id: root for root in roots}
    inquiries = [_inquiry(factor, by_id[one.root_prompt_id], one) for one in branched.branches]
    replies = ask_engine(job.study, job.run_context, engine, STAGE, inquiries)
    kept, quarantine = [], []
    for branch, reply in zip(branched.branches, replies, strict=True):
        verdict = parse_yes_no(reply.text) if reply.is_whole else None
        if verdict:
            kept.append(branch)
        else:
            rule = UNUSABLE_VERDICT if verdict is None else REFUSED_BY_JUDGE
            quarantine.append(_quarantined(rule, engine, by_id[branch.root_prompt_id], branch, reply))
    refused = {one.record_key: one.rule for one in quarantine}
    outcomes = [
        one._replace(dropped_reason=refused.get(branch_id(one.root_prompt_id, one.level), one.dropped_reason))
        for one in branched.outcomes
    ]
    return JudgedPairs(Branched(kept, outcomes), quarantine)


def _quarantined(rule: str, engine: str, root: AssembledPrompt, branch: AssembledPrompt, reply: Reply) -> Quarantined:
    texts = {"root_prompt_text": root.prompt_text, "prompt_text": branch.prompt_text}
    said = f"replied {reply.text!r}"
    if not reply.is_whole:
        flags = " and ".join(flag.removeprefix("is_") for flag in reply.flags)
        said = f"gave no reply that can be used ({reply.error or flags})"
    shown = f"{engine} was shown {root.prompt_text!r} with {branch.prompt_text!r} and {said}"
    record = json.dumps({**texts, **reply._asdict()}, ensure_ascii=False)
    return Quarantined(branch.prompt_id, rule, f"assemble: branch.check: {shown}", record)


def _inquiry(factor: str, root: AssembledPrompt, branch: AssembledPrompt) -> Inquiry:
    level, target = root.levels[factor], branch.levels[factor]
    text = _ASK.format(level=level, target=target, root=root.prompt_text, branch=branch.prompt_text)
    facts: Mapping[str, str] = {"task": "pair", "level": level, "target": target}
    return Inquiry(f"pair | {branch.prompt_id}", text, facts)
