"""Words of errors about names: the known ones, and the one that was most likely meant.

Belongs here: the words. Finding problems is study_file; what an error is, errors.
"""

import difflib
from collections.abc import Collection, Iterable
from typing import Any, Final

from python_assets.errors import FieldPath, StudyError

MOST_NAMES = 12
RENAMED: Final = {
    "generations": "systems",
    "generation": "system",
    "role": "system_prompt",
    "sets": "families",
    "interaction": "prompt_by_group_share",
    "extractor": "scorer",
    "beyond_parts": "interaction",
    "max_unmatched_share": "max_unscored_share",
    "questions": "hypotheses",
    "instruments": "scorers",
    "publications": "runs",
    "generation_comparisons": "system_comparisons",
    "generation_factors": "system_factors",
}
"""What keys of study files and published tables were named before, and are now."""
_ENDING_BEFORE, _ENDING = "_unmatched", "_unscored"  # of the share of a measure


def listed(names: Iterable[str]) -> str:
    """Names in quotes with commas; long lists are cut with their number."""
    quoted = [f"'{name}'" for name in names]
    if len(quoted) > MOST_NAMES:
        return f"{', '.join(quoted[:MOST_NAMES])} and {len(quoted) - MOST_NAMES} more"
    return ", ".join(quoted) or "none"


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def suggestion(value: Any, names: Iterable[str], otherwise: str) -> str:
    """Ask whether the nearest name was meant; where none is near, say something else."""
    known = list(names)
    if (new := _renamed(value)) in known:
        return rename_to(str(new))
    if near := nearest(value, known):
        return f"did you mean '{near}'?"
    return otherwise


def rename_to(new: str) -> str:
    """What to do with a name of before: take the new one."""
    return f"rename it to {new}, as it is called now"


def _renamed(value: Any) -> str | None:
    name = str(value)
    return f"{name.removesuffix(_ENDING_BEFORE)}{_ENDING}" if name.endswith(_ENDING_BEFORE) else RENAMED.get(name)


def nearest(value: Any, names: Iterable[str]) -> str | None:
    """The known name a word is most like, upper and lower case alike; None where none is near."""
    folded = {name.casefold(): name for name in names}
    if (new := _renamed(value)) in folded.values():
        return new
    near = difflib.get_close_matches(str(value).casefold(), folded, n=1, cutoff=0.6)
    return folded[near[0]] if near else None


def unknown_name(path: FieldPath, value: str, kind: str, names: Collection[str], remedy: str) -> StudyError:
    """A name that is not among the known ones.

    Args:
        path: where the name stands.
        value: the name.
        kind: what it should name, for example 'a factor'.
        names: the known names.
        remedy: what to do where no known name is near.
    """
    return StudyError(path, value, f"{kind}: {listed(names)}", suggestion(value, names, remedy))
