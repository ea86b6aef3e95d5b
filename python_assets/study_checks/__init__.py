"""What must agree between the parts of a study file, and between the file and what it names.

One file a part; each gives problems and raises nothing.
"""

from python_assets.study_checks.analysis import analysis_problems
from python_assets.study_checks.comparisons import comparison_problems
from python_assets.study_checks.factors import factor_problems
from python_assets.study_checks.files import file_problems
from python_assets.study_checks.generations import generation_problems
from python_assets.study_checks.identity import identity_problems
from python_assets.study_checks.measures import measure_problems
from python_assets.study_checks.prompts import prompt_problems
from python_assets.study_expand import Draft
from python_assets.study_problems import Problem

__all__ = ["file_problems", "part_problems"]

CHECKS = (
    identity_problems,
    factor_problems,
    prompt_problems,
    generation_problems,
    measure_problems,
    comparison_problems,
    analysis_problems,
)


def part_problems(draft: Draft) -> list[Problem]:
    """What the parts of a study say that does not fit together."""
    return [problem for check in CHECKS for problem in check(draft)]
