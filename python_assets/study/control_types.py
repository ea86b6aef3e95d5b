"""Types of negative controls: which of them change one word of the same sentence.

Belongs here: words of names and texts. What types are for is infer's: as many of them as differ count.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from python_assets.study.problems import plural

ControlTypes = Mapping[str, str | None]
"""Types by the names of controls; None where a study declares none."""

MOST_PROPOSED: Final = 5
_WORD: Final = re.compile(r"[^\W_]+")


def too_few(types: ControlTypes, fewest: int) -> str:
    """That no group can be compared with so few controls; "" where there are enough.

    Args:
        types: of the study.
        fewest: controls, and types of them.
    """
    declared = {control_type for control_type in types.values() if control_type is not None}
    if len(types) >= fewest and (not declared or len(declared) >= fewest):
        return ""
    type_count = f" of {plural(len(declared), 'type')}" if declared else ""
    return (
        f"{plural(len(types), 'control')}{type_count} change no p, which takes {fewest} types at least: declare more, "
        "ten of ten types are usual"
    )


def alike_controls(texts: Mapping[str, str]) -> dict[str, str]:
    """Propose a type for each control: those whose texts differ in one word are of one type.

    Args:
        texts: by the names of controls; the name itself where its text is not known.

    Returns:
        By name; the words that the texts of a type share, or the name of its first control.
    """
    words = {name: [word.casefold() for word in _WORD.findall(text)] for name, text in texts.items()}
    alike: dict[tuple[int, int, tuple[str, ...]], list[str]] = defaultdict(list)
    for name, of in words.items():
        for i in range(len(of) if len(of) > 1 else 0):
            alike[len(of), i, (*of[:i], *of[i + 1 :])].append(name)
    first = {name: name for name in texts}
    for names in alike.values():
        joined = {first[name] for name in names}
        earliest = next(name for name in texts if name in joined)
        first |= {name: earliest for name, of in first.items() if of in joined}
    return {name: _common(words, first, of) for name, of in first.items()}


def _common(words: Mapping[str, Sequence[str]], first: Mapping[str, str], of: str) -> str:
    members = [words[name] for name, one in first.items() if one == of]
    shared = [word for word in members[0] if all(word in other for other in members)]
    return " ".join(shared) if len(members) > 1 and shared else of


def types_proposal(types: ControlTypes, texts: Mapping[str, str] | None = None) -> str:
    """What to declare where a study declares no types; "" where it does.

    Args:
        types: of the study.
        texts: of its controls; their names where None.
    """
    if not types or None not in types.values():
        return ""
    proposed = [f"{name}: {of}" for name, of in alike_controls(texts or {name: name for name in types}).items()]
    more = f", and {len(proposed) - MOST_PROPOSED} more" if len(proposed) > MOST_PROPOSED else ""
    written = f"{{{', '.join(proposed[:MOST_PROPOSED])}{more}}}"
    return f"types not declared, which finds less; declare one type for edits of one sentence: {written}"


def types_problem(types: ControlTypes, texts: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield a line for each sentence whose edits have several types.

    Args:
        types: of the study.
        texts: of its controls; their names where None.
    """
    members = defaultdict(list)
    for name, of in alike_controls(texts or {name: name for name in types}).items():
        members[of].append(name)
    for names in members.values():
        declared = [of for of in dict.fromkeys(types[name] for name in names) if of is not None]
        if len(declared) > 1:
            yield (
                f"{_few(names)} differ in one word, and are declared as {len(declared)} types "
                f"({_few(declared, ', ')}): edits of one sentence are one type, so declare one"
            )


def _few(names: Sequence[str], joined_by: str = " and ") -> str:
    if len(names) <= MOST_PROPOSED:
        return joined_by.join(names)
    return f"{', '.join(names[:MOST_PROPOSED])} and {len(names) - MOST_PROPOSED} more"
