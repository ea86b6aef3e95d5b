"""The methods section that a paper on a study needs: what was compared, how it was tested, with what.

Belongs here: the words. What they count is dbt's int_method_counts.
"""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from python_assets.report.text import SIMULATED, listed, plural
from python_assets.study.base import ROOT_PROMPT, grouping_id

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]

# as CITATION.cff has them
CITATION: Final = (
    "Cite Plumbline (The Plumbline developers, version {version}, Apache-2.0) and the documents whose "
    "methods it follows: SAGED (Guan et al. 2025, doi:10.48550/arXiv.2409.11149), Better Bias Benchmarking "
    "of Language Models via Multi-factor Analysis (Powers et al. 2025, PMLR 279, "
    "https://proceedings.mlr.press/v279/powers25a.html) and the FAIR-SEA Benchmark (2025, "
    "https://github.com/HartantoLs/FAIR-SEA)."
)


def methods(studies: Iterable[Row]) -> "pa.Table":
    """The paragraph of every study.

    Args:
        studies: rows of int_method_counts.

    Returns:
        study_id and methods.
    """
    import pyarrow as pa

    rows = [{"study_id": study["study_id"], "methods": methods_paragraph(study)} for study in studies]
    return pa.Table.from_pylist(rows, pa.schema([("study_id", pa.string()), ("methods", pa.string())]))


def methods_paragraph(study: Row) -> str:
    """How a study was done, as one paragraph.

    Args:
        study: a row of int_method_counts; what a study has none of is NULL.
    """
    config = json.loads(study["config_json"])
    sentences = [
        _answered(study),
        SIMULATED if study["n_simulated"] else "",
        _not_measured(study),
        f"Measured were {study['measures']}." if study["measures"] else "Nothing was measured.",
        _compared(study, config),
        *_tested(study, config["analysis"]),
        _declared(study),
        f"Computed by Plumbline {study['plumbline_version']} from the study file with sha256 {study['config_sha256']}.",
        CITATION.format(version=study["plumbline_version"]),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _answered(study: Row) -> str:
    n_prompts, n_roots = study["n_prompts"] or 0, study["n_root_prompts"] or 0
    who = plural(study["n_systems"] or 0, "generation")
    named = f" ({study['systems']})" if study["systems"] else ""
    return (
        f"{study['title']}: {who}{named} answered {plural(n_prompts, 'prompt')} made from "
        f"{plural(n_roots, 'root prompt')}, which gave {plural(study['n_responses'] or 0, 'response')}."
    )


def _not_measured(study: Row) -> str:
    """What of the responses is no answer; nothing is said of what there is none of."""
    counted = {
        "error": "n_errors",
        "response without a recorded text": "n_not_recorded",
        "refusal": "n_refused",
        "blank answer": "n_empty",
    }
    phrases = [plural(study[column], noun) for noun, column in counted.items() if study[column]]
    return f"Among them: {listed(phrases, len(phrases))}." if phrases else ""


def _compared(study: Row, config: Row) -> str:
    unit = config.get("unit")
    if unit in (None, ROOT_PROMPT):
        units = f"{plural(study['n_root_prompts'] or 0, 'root prompt')} as the independent units"
    else:
        units = f"the {study['n_units'] or 0:,} levels of {unit} as the independent units"
    named = [grouping_id(grouping) for grouping in config.get("groupings", [])]
    return f"Groups of {'; '.join(named)} were compared, with {units}." if named else ""


def _tested(study: Row, analysis: Row) -> list[str]:
    if not study["families"]:
        return ["Nothing was tested."]
    sentences = [
        "Whether the groups of a grouping differ in a measure is one question, with a p by random "
        f"relabelling of groups ({analysis['permutations']:,} permutations) and a q by Benjamini and "
        f"Hochberg within its set of questions, called at {study['significance_level']:.2g}: {study['families']}."
    ]
    if study["tests"]:
        sentences.append(f"Contrasts were tested by {study['tests']}.")
    level = f"{100 * (1 - study['significance_level']):.4g} %"
    if study["look"]:
        sentences.append(
            f"This is look {study['look']} of {study['n_looks']}, of {study['n_root_prompts_asked']:,} of "
            f"{study['n_root_prompts_planned']:,} planned root prompts; the levels of all looks taken add up to "
            f"{study['alpha']:g} (Lan and DeMets 1983)."
        )
    return [
        *sentences,
        f"Intervals are of level {level}; those of statistics that are no means are bootstrapped over root "
        f"prompts ({plural(analysis['bootstrap'], 'resample')}).",
    ]


def _declared(study: Row) -> str:
    if study["preregistered_at"] is None:
        return "The analysis was not declared before the responses, so its findings are exploratory."
    when = study["preregistered_at"].strftime("%Y-%m-%d %H:%M")
    return f"The analysis was declared on {when} UTC."
