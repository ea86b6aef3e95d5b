# ruff: noqa: E501, C901
"""The renames of docs/glossary.md, a step a commit. A name with = is one by itself, others are pieces of names."""

import re
from typing import Final

KEPT: Final = re.compile(
    r"gc\.freeze|frozenset|question_polarity|question_index|keyword_not_in_question|(?<![a-z_])repeated_question(?!s)|no_question|task(?:\"|')?(?:: ?| ?= ?)(?:\"|')?question|judge_questions|pair_questions|root_questions|text-generation|TOLD_BY_PARTS|told_by_parts|has_parts|path\.parts|scheme\.parts|asked\.parts|model\.generation_config|generation_config(?:\.json)?|add_generation_prompt|generation_kwargs"
    r"|text-generation|GENERATION_CONFIG"
)
STEPS: Final[dict[str, dict[str, str | tuple[str, str]]]] = {}
STEPS["prompt_by_group_share"] = {"=interaction": "prompt_by_group_share"}
STEPS["placeholders"] = {r"\{role\}": "{system_prompt_name}"}
STEPS["system_placeholder"] = {r"\{system\}": "{system_prompt}"}
STEPS["chunks"] = {"parts": "chunks", "part": "chunk"}
STEPS["chunk_names"] = {
    "PLUMBLINE_PARTS": "PLUMBLINE_CHUNKS",
    r"(?<![\w-])--parts": "--chunks",
    r"infer\.parts\.parts": "infer.chunks.chunks",
    r"infer\.parts\.part_file": "infer.chunks.chunk_file",
    r"infer\.parts": "infer.chunks",
    r"infer/parts": "infer/chunks",
    r"infer\.part\b": "infer.chunk",
    "PARTS_TAG": "CHUNKS_TAG",
    r"dagster_project\.parts": "dagster_project.chunks",
    r"bench_parts": "bench_chunks",
    "parts_here": "chunks_here",
    r"home\(?\)?\.parts": "home().chunks",
    r"plan\.asked\b": "plan.requested",
}

_CALLED = (
    r"^(dbt_models/|docs/|python_assets/(infer|report|published|gate|audit|labelling|warehouse/looks|plan)|bench/(?!bench_chunks|"
    r"bench_run_floor|train_refusals)|tests/(dbt_models|account|end_to_end/(?!test_dbt_by_hand|test_waves)|"
    r"python_assets/(infer|report|published|gate|audit|labelling|warehouse/test_looks|plan)))"
)
_OPEN = (
    r"^(dbt_models/|docs/queries|python_assets/(report/(?!scripts)|gate|audit|published/account)|tests/(account|dbt_models|"
    r"python_assets/(gate|report/(test_facts|test_matrix|audits|test_history))|end_to_end/(test_account|test_audit|test_own_stat|test_looks|test_chunks)))"
)
STEPS["verdicts"] = {
    # once, by hand since: "n_inconclusive": "n_verdict_inconclusive",
    "n_bias_shown": "n_verdict_beyond_margin",
    "n_difference_shown": "n_verdict_different",
    "n_equivalence_shown": "n_verdict_equivalent",
    r"n_\{\{ verdict \}\}": "n_verdict_{{ verdict }}",
    r"'open'": ("'inconclusive'", _OPEN),
    r'"open"': ('"inconclusive"', _OPEN),
    r"outcome: open\b": "outcome: inconclusive",
    r"\bopen, (not_testable|unchanged)": r"inconclusive, \1",
    r"Outcome\.OPEN": "Outcome.INCONCLUSIVE",
    r"\bOPEN = \"(open|inconclusive)\"": 'INCONCLUSIVE = "inconclusive"',
    "n_open": "n_inconclusive",
    "bias_shown": "beyond_margin",
    "difference_shown": "different",
    "equivalence_shown": "equivalent",
    "not_computable": "not_tested",
    "n_groups_shown": "n_groups_different",
    "called": ("significant", _CALLED),
    "only_because_of": "explained_by",
    "stands_later": "differs_later",
    "=stands": (
        "differs_on_its_own",
        r"^(dbt_models/|python_assets/(infer|report)|tests/(dbt_models|python_assets/(infer|report))|bench/)",
    ),
}
STEPS["system"] = {
    r"\bGenerationError\b": "ProviderError",
    "reference_generation_id": "reference_system_id",
    "generation_a_id": "system_id",
    "generation_b_id": "reference_system_id",
    "generations": "systems",
    "generation": "system",
}
_HYPOTHESIS = (
    r"^(dbt_models/|docs/queries|python_assets/(infer|plan|report|published|gate|warehouse|audit|study/(analysis|study)\.py|"
    r"study_file/checks/analysis|library/in_memory)|dagster_project/|bench/|"
    r"tests/(account|dbt_models|dagster_project|end_to_end|test_told|python_assets/(infer|plan|report|published|gate|warehouse|audit|"
    r"study_file/checks/test_analysis)))"
)
_FAMILY = (
    r"python_assets/(infer/(hypotheses|run)|plan/(declared_hypotheses|requested)|published/(run_summary|account)|"
    r"report/(audits/|facts|methods)|study/study|study_file/checks/analysis|library)"
)
STEPS["hypothesis"] = {
    r"require_questions_of_build": "require_hypotheses_of_build",
    r"require_questions": "require_hypotheses",
    r"asked_questions": "requested_hypotheses",
    r"declared_questions": "declared_hypotheses",
    r"infer\.questions\b": "infer.hypotheses",
    r"infer/questions\b": "infer/hypotheses",
    r"\bquestion_(?!polarity|index)": "hypothesis_",
    "n_questions": "n_hypotheses",
    "int_questions": "int_hypotheses",
    "questions": ("hypotheses", _HYPOTHESIS),
    "question": ("hypothesis", _HYPOTHESIS),
    r"`questions`": "`hypotheses`",
    r"\bfrom questions\b": "from hypotheses",
}
STEPS["family"] = {
    r"\bQuestionSet\b|\bHypothesisSet\b": "HypothesisFamily",
    r"\b(question|hypothesis)_sets\b": "families",
    r"\b(QUESTION|HYPOTHESIS)_SETS\b": "FAMILIES",
    r"(?<=[{ ,])sets: \{(?=\{?[a-z{])": "families: {",
    r"analysis\.sets\b": "analysis.families",
    r'"analysis", "sets"': '"analysis", "families"',
    r'\{"sets": \{': '{"families": {',
    "set_ids": "family_ids",
    "set_id": "family_id",
    "set_position": "family_position",
    "with_sets": "with_families",
    "questions_in_sets": "hypotheses_in_families",
    "hypotheses_in_sets": "hypotheses_in_families",
    "declares_sets": "declares_families",
    "sets": ("families", _FAMILY),
}
_AUDIT = r"(python_assets/(audit|report/audits|cli\.py)|tests/(python_assets/audit|python_assets/report/audits|end_to_end/test_audit)|bench/bench_benchmarks)"
STEPS["benchmark"] = {
    r"(?<!\w)--shelf\b": "--benchmarks",
    r"plumbline shelf": "plumbline benchmarks",
    r"studies/shelf/": "studies/benchmarks/",
    r"shelf_names\.csv": "benchmark_names.csv",
    r"audit\.shelf\b": "audit.benchmarks",
    r"import shelf\b": "import benchmarks",
    r"\b(def )?themes\(\)": r"\1benchmark_names()",
    r"(from python_assets\.audit\.benchmarks import (?:\w+, )*)themes\b": r"\1benchmark_names",
    r"bench_shelf": "bench_benchmarks",
    r'"shelf/hiring': '"benchmarks/hiring',
    r'PACKAGED / "shelf"': 'PACKAGED / "benchmarks"',
    r"\bSHELF\b": "BENCHMARKS",
    "on_shelf": "packaged",
    "shelf_of_grants": "benchmarks_of_grants",
    "copy_of_shelf": "copy_of_benchmark",
    "shelf_file": "benchmark_file",
    "told_shelf": "benchmark_lines",
    "shelf": ("benchmarks", _AUDIT),
    "themes": ("benchmarks", _AUDIT),
    "theme": ("benchmark", _AUDIT),
}
STEPS["unscored"] = {"unmatched": "unscored", "n_unread": "n_unscored", "unread_warnings": "unscored_warnings"}
STEPS["scorer"] = {
    r"\bextract/instruments\b": "extract/scorers",
    r"\bextract\.instruments\b": "extract.scorers",
    r"bench_instruments": "bench_scorers",
    "instruments": "scorers",
    "instrument": "scorer",
    "extractors": "scorers",
    "extractor": "scorer",
}
STEPS["effect"] = {"strongest_sizes": "strongest_effects", "strongest_size": "strongest_effect"}
STEPS["label_sheet"] = {r"plumbline sample\b": "plumbline label-sheet"}
STEPS["stratum"] = {"is_held": "is_stratum"}
STEPS["unread"] = {"unread": "unscored"}
STEPS["scope"] = {
    r"\bunits and prompts like these\b(?=[\"'`]|, *\n)": "similar units and prompts",
    r"(?<=[\"'`])units and prompts like these\b": "similar units and prompts",
    r"(?<=[\"'`])units like these, these prompts(?: only)?(?=[\"'`])": "similar units, these prompts",
    r"(?<=[\"'`])prompts like these(?=[\"'`])": "similar prompts",
    r"(?<=[\"'`])these prompts only(?=[\"'`])": "these prompts",
}
STEPS["interaction"] = {"beyond_parts": "interaction", r"compare_beyond_parts": "compare_interactions"}
STEPS["changed"] = {"groups_moved": "groups_changed", "GROUPS_MOVED": "GROUPS_CHANGED"}
_PREREGISTERED = (
    r"^(dbt_models/|docs/queries|python_assets/(warehouse/|published/(verify|publish|drop)|plan/(plan|declared_hypotheses|requested)|report/methods|cli)"
    r"|dagster_project/assets/infer|tests/(dbt_models|test_docs|end_to_end|python_assets/(warehouse|published|plan|report/(conftest|test_report|test_methods)|test_)))"
)
STEPS["preregistered"] = {
    r"plan --freeze": "plan --preregister",
    r"(?<![\w-])--freeze\b": "--preregister",
    r"\bfreezes/": "preregistrations/",
    r"warehouse\.freeze\b": "warehouse.preregistration",
    r"warehouse/freeze\.py": "warehouse/preregistration.py",
    "analysis_frozen_at": "preregistered_at",
    "freeze_analysis": "preregister",
    "frozen_at": ("preregistered_at", _PREREGISTERED),
    "freezes": ("preregistrations", _PREREGISTERED),
    "freeze": ("preregistration", _PREREGISTERED),
    "frozen": ("preregistered", _PREREGISTERED),
}
_RUNS = r"^(dbt_models/|docs/queries|python_assets/(report|published|gate|audit|providers/spending)|tests/)"
STEPS["runs"] = {
    r"ref\('publications'\)": "ref('runs')",
    r"(from|table|join|name:|model:|of|in|as) publications\b(?=[ \"'\n,;]|$)(?! (that|stay|are|but))": r"\1 runs",
    r"(from earlier\.main\.|marts\.)publications\b": r"\1runs",
    r'"publications": ("archive"|"select|runs\()': r'"runs": \1',
    r'PUBLICATIONS: Final = "publications"': 'RUNS: Final = "runs"',
    r"\bPUBLICATIONS\b": "RUNS",
    r"\[\"publications\"\]": '["runs"]',
    r"marts/publications\.yml": "marts/runs.yml",
    r"publications\.parquet": "runs.parquet",
    r"(studies|run_groups|select) publications\.(?=published)": r"\1 runs.",
    r"publications\.published_at": "runs.published_at",
    r"`publications`": "`runs`",
    r"a row of publications\b": "a row of runs",
    r"as publications has it": "as runs has it",
    r"and publications says": "and runs says",
    r"which publications says": "which runs says",
    r"\(\"studies\", \"publications\"\)": '("studies", "runs")',
    r"publications=runs\(": "runs=runs(",
}
