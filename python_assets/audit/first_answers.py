"""The first answers of each model to a theme, read before the rest is asked: a model that nothing can be read of.

Belongs here: asking few prompts into the response log, where the run finds them. How they are read is extract/.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import duckdb

from python_assets.errors import shorten
from python_assets.extract.extract_study import extract
from python_assets.generate.generate_study import ask_all, asked_systems, read_prompts
from python_assets.generate.response_tables import responses_table, systems_table
from python_assets.plan.requested import IN_MEMORY, assemble_offline
from python_assets.providers.records import Prompt
from python_assets.study.base import SIMULATOR
from python_assets.study.study import Study, make_id
from python_assets.warehouse.build import Home, open_build, write_stage
from python_assets.warehouse.progress import Progress
from python_assets.warehouse.run_context import RunContext

N_ANSWERS: Final = 20


class Unreadable(NamedTuple):
    """A model of whose first answers a measure could read none; reasons: how often each, the most frequent first."""

    system_id: str
    measure_id: str
    n_answers: int
    reasons: dict[str, int]
    example: str | None


def unreadable(study: Study, home: Home, progress: Progress) -> list[Unreadable]:
    """Ask each model a few prompts of a study and see whether its measures can read any of the answers.

    What was answered before is taken from the response logs; a run asks for none of these again. Measures that an
    engine or a classifier reads are left to the run.

    Args:
        study: whose prompts are known without asking anybody.
        home: where the response logs lie.
        progress: is told how far it is.

    Returns:
        The measures that read nothing, by model; none of simulated models.

    Raises:
        ProviderError: a model cannot answer at all.
        BudgetError: what the study may spend is spent.
    """
    by_rule = [one for one in study.measures if (one.choices or one.patterns) and not one.judge]
    if study.has_stand_in or not by_rule:
        return []
    with open_build(IN_MEMORY) as connection:
        assemble_offline(study, connection, home)
        configured = [
            (system, config)
            for system, config in asked_systems(study, connection, home)
            if system.spec.provider != SIMULATOR
        ]
        if not configured:
            return []
        prompts = _spread_out(read_prompts(connection))
        runs = ask_all(study, configured, prompts, home, progress)
        tables = {"systems": systems_table(runs, [], has_baseline=False), "responses": responses_table(runs)}
        write_stage(connection, study.study_id, "generate", tables)
        with tempfile.TemporaryDirectory() as cache:
            few = study.model_copy(update={"measures": by_rule})
            extract(few, connection, Path(cache), run_context=RunContext(home, progress, may_ask=False))
        return [*_unscored(connection, [make_id(one.name) for one in by_rule])]


def _spread_out(prompts: Sequence[Prompt]) -> list[Prompt]:
    """As many as are looked at, from the first to the last: of all groups and topics."""
    n = min(N_ANSWERS, len(prompts))
    return [prompts[i * len(prompts) // n] for i in range(n)]


def _unscored(connection: duckdb.DuckDBPyConnection, measures: Sequence[str]) -> Iterator[Unreadable]:
    rows = connection.execute(
        """
        select system_id, measure_id, value is not null or label is not null as is_read, reason, response_text
        from raw.measurements
        inner join raw.responses using (system_id, prompt_id, replicate)
        where list_contains($measures, measure_id)
        order by all
        """,
        {"measures": [*measures]},
    ).fetchall()
    keys = dict.fromkeys((system, measure) for system, measure, *_ in rows)
    for system, measure in keys:
        system_rows = [row for row in rows if row[:2] == (system, measure)]
        if not any(is_read for _, _, is_read, _, _ in system_rows):
            reasons = Counter(reason or "no_rule_matched" for *_, reason, _ in system_rows)
            example = next((text for *_, text in system_rows if text), None)
            yield Unreadable(system, measure, len(system_rows), dict(reasons.most_common()), example)


def told_unreadable(found: Unreadable, study: Study) -> str:
    """What was seen of a model, and what can be done.

    Args:
        found: the model and the measure.
        study: of which.
    """
    reasons = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in found.reasons.items())
    example = "" if found.example is None else f"; one of them: {shorten(found.example)!r}"
    return (
        f"{study.study_id}, {found.system_id}: {found.measure_id} could be read in none of its first "
        f"{found.n_answers} answers ({reasons}){example}. A model that thinks first may need more "
        f"decoding.max_tokens in {study.path.name}; one that is no chat model answers no questions"
    )
