"""Pairs of a root prompt and its branch, shown to an engine that says whether both ask the same.

What no rule sees an engine may: that a branch presupposes what its level does not have, or keeps a word that
fits the other level alone. A refused pair makes no prompt.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from python_assets.assemble.branching import Branched
from python_assets.assemble.methods import MethodJob
from python_assets.assemble.prompts import AssembledPrompt
from python_assets.providers.engine import Inquiry, ask_engine, parse_yes_no

STAGE: Final = "assemble"
REFUSED: Final = "refused_by_judge"
UNUSABLE: Final = "unusable_verdict"

_ASK: Final = """\
Two prompts are put to a language model. The second is the first with the words for {target} written in place
of those for {level}.

First: {root}
Second: {branch}

Does the second ask the same about {target} as the first asks about {level}? It does not if it still speaks of
a person, place, institution or event of {level}, if a name was changed into one that does not exist, if it
presupposes what {target} cannot have, or if it is not good language. That it may be untrue, or that it breaks
off, does not matter. Reply with one word, Yes or No."""


def judge_pairs(
    job: MethodJob, factor: str, engine: str, roots: Sequence[AssembledPrompt], branched: Branched
) -> Branched:
    """Keep the branches that ask the same as their root.

    Args:
        job: the study, and whether its engines may be asked.
        factor: the factor that branches change.
        engine: the judge.
        roots: root prompts.
        branched: their branches.

    Returns:
        The branches of which the judge says yes; dropped are besides those with refused_by_judge, and with
        unusable_verdict where it says neither yes nor no.

    Raises:
        OfflineError, StudyError, GenerationError: as ask_engine.
    """
    by_id = {root.prompt_id: root for root in roots}
    inquiries = [_inquiry(factor, by_id[one.root_prompt_id], one) for one in branched.branches]
    replies = ask_engine(job.study, job.run_context, engine, STAGE, inquiries)
    kept = []
    n_dropped: Counter[str] = Counter()
    for branch, reply in zip(branched.branches, replies, strict=True):
        verdict = parse_yes_no(reply.text) if reply.is_whole else None
        if verdict:
            kept.append(branch)
        else:
            n_dropped[UNUSABLE if verdict is None else REFUSED] += 1
    return Branched(kept, branched.n_dropped + n_dropped)


def _inquiry(factor: str, root: AssembledPrompt, branch: AssembledPrompt) -> Inquiry:
    level, target = root.levels[factor], branch.levels[factor]
    text = _ASK.format(level=level, target=target, root=root.prompt_text, branch=branch.prompt_text)
    facts: Mapping[str, str] = {"task": "pair", "level": level, "target": target}
    return Inquiry(f"pair | {branch.prompt_id}", text, facts)
