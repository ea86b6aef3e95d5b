"""How large a study may be: beyond this a mistake is likelier than a wish, and no machine would come to an end.

Belongs here: the numbers, and how calls are counted. Where a study file is held to them is
study_file/checks/sizes.py.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from python_assets.errors import StudyError, Told
from python_assets.study.base import REPLAY
from python_assets.study.systems import System

MOST_CALLS: Final = 100_000_000
MOST_CROSSED: Final = 1_000_000  # prompts of templates
MOST_DRAWS: Final = 1_000_000  # permutations, and as many resamples
MOST_LEVELS: Final = 1_000  # of one factor, each of which is a group


def require_few_levels(n_levels: Mapping[str, int]) -> None:
    """See that the groups of every factor can be compared.

    Args:
        n_levels: by factor; one whose levels are units has no groups.

    Raises:
        StudyError: one has more than MOST_LEVELS.
    """
    for name, n in n_levels.items():
        if n > MOST_LEVELS:
            remedy = "group them: a factor of fewer levels with map, or make it the unit"
            raise StudyError(("factors", name), Told(f"{n:,} levels"), f"at most {MOST_LEVELS:,}, each a group", remedy)


def require_askable(n_prompts: int, systems: Iterable[System]) -> None:
    """See that prompts can be asked of all generations.

    Raises:
        StudyError: they are more than MOST_CALLS calls.
    """
    n_calls = n_prompts * sum(one.spec.replicates for one in systems if one.spec.provider != REPLAY)
    if n_calls > MOST_CALLS:
        got = Told(f"{n_calls:,} calls, which {n_prompts:,} prompts, generations and replicates make")
        remedy = "ask fewer replicates, or of fewer prompts"
        raise StudyError(("systems",), got, f"at most {MOST_CALLS:,}", remedy)
