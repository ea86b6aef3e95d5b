"""Every check of what the parts of a study file say, in the order of the file."""

from python_assets.errors import StudyError
from python_assets.study_file.checks.analysis import analysis_problems
from python_assets.study_file.checks.budgets import budget_problems
from python_assets.study_file.checks.comparisons import comparison_problems
from python_assets.study_file.checks.derived_levels import derived_level_problems
from python_assets.study_file.checks.factors import factor_problems
from python_assets.study_file.checks.identity import identity_problems
from python_assets.study_file.checks.labels import label_problems
from python_assets.study_file.checks.measures import measure_problems
from python_assets.study_file.checks.negative_controls import negative_control_problems
from python_assets.study_file.checks.prompts import prompt_problems
from python_assets.study_file.checks.regressions import regression_problems
from python_assets.study_file.checks.rules import rule_problems
from python_assets.study_file.checks.sizes import size_problems
from python_assets.study_file.checks.systems import system_problems
from python_assets.study_file.checks.waves import wave_problems
from python_assets.study_file.expand import Draft

CHECKS = (
    identity_problems,
    factor_problems,
    derived_level_problems,
    prompt_problems,
    negative_control_problems,
    system_problems,
    budget_problems,
    measure_problems,
    label_problems,
    rule_problems,
    comparison_problems,
    analysis_problems,
    regression_problems,
    size_problems,
    wave_problems,
)


def part_problems(draft: Draft) -> list[StudyError]:
    """What the parts of a study say that does not fit together."""
    return [problem for check in CHECKS for problem in check(draft)]
