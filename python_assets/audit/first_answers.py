"""The first answers of each model to a benchmark, read before the rest is asked: a model that nothing can be read of.

Belongs here: asking few prompts into the response log, where the run finds them. How they are read is extract/.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import duckdb

from python_assets.errors import AuditError, ProviderError
from python_assets.extract.extract_study import extract
from python_assets.generate.generate_study import ask_all, asked_systems, read_prompts
from python_assets.generate.response_tables import Runs, responses_table, systems_table
from python_assets.infer.groups.unscored import UNSCORED_REASONS
from python_assets.plan.requested import IN_MEMORY, assemble_offline
from python_assets.providers.records import Prompt, SystemConfig
from python_assets.providers.spending import BudgetError
from python_assets.published.hidden_texts import asks_to_hide
from python_assets.published.losses import (
    LOSSES,
    MOST_FORMS,
    Form,
    Losses,
    form_of,
    forms_in_words,
    lost_in_words,
    scored_in_words,
)
from python_assets.study.base import SIMULATOR
from python_assets.study.study import MeasureSpec, Study, System, make_id
from python_assets.warehouse.build import Home, open_build, write_stage
from python_assets.warehouse.progress import SILENT, Progress
from python_assets.warehouse.run_context import RunContext

N_ANSWERS: Final = 20
FIRST_WARNED_SHARE: Final = 0.2
"""From this share of unread answers on a warning says so: 4 of 20."""
MOST_FIRST_RETRIES: Final = 2
"""Of the first prompt: a server that fails is reported before minutes are over."""
_UNDECIDED, _REFUSED = "undecided", "response_refused"
_LOSS_OF_REASON: Final[Mapping[str, str]] = {
    _UNDECIDED: _UNDECIDED,
    _REFUSED: "refused",
    "response_empty": "empty",
    "response_error": "failed",
    **dict.fromkeys(UNSCORED_REASONS, "unscored"),
}
"""Of measures that read by rules; every other reason is another loss, as macro loss_of has it."""
_OTHERWISE: Final = (
    "The model uses another form or language, or it is no chat model. One that thinks first may need more "
    "decoding.max_tokens in {file}."
)
_WHY: Final[Mapping[str, str]] = {
    "refused": "The model declines these questions; only its refusals could be compared.",
    "undecided": "The model does not decide; only how often it does not could be compared.",
    "empty": "A model that thinks first may need more decoding.max_tokens in {file}.",
}
"""What a user can do where nothing is read, by the commonest loss."""


def ask_first_prompt(study: Study, home: Home, progress: Progress) -> None:
    """Ask each model the first prompt, with its own decoding; the log keeps the answer for the run.

    Args:
        study: whose prompts are known without asking anybody.
        home: where the response logs lie.
        progress: hears how far it is.

    Raises:
        AuditError: a model gave no answer; with the server's words.
        BudgetError: what the study may spend is spent.
    """
    with open_build(IN_MEMORY) as connection:
        assemble_offline(study, connection, home)
        systems = [
            (system, replace(config, replicates=1, max_retries=min(MOST_FIRST_RETRIES, config.max_retries)))
            for system, config in _asked_systems(study, connection, home)
        ]
        try:
            runs = ask_all(study, systems, read_prompts(connection)[:1], home, progress) if systems else []
        except BudgetError:
            raise
        except ProviderError as error:
            raise _unanswered(error.field, str(error.got), error.remedy) from error
    for system, run in runs:
        for why in (one.error for one in run.responses if one.status == "error" and one.error):
            raise _unanswered(f"system {system.system_id!r}", why, "Try again, or look at the log of the server")


def _unanswered(where: str, why: str, fix: str) -> AuditError:
    return AuditError(where, f"the first prompt got no answer: {why}", remedy=f"{fix[:1].upper()}{fix[1:]}")


def first_answers(study: Study, home: Home, progress: Progress) -> list[Losses]:
    """Ask each model a few prompts of a study, and read the answers by the measures that are read by rules.

    What was answered before is taken from the response logs; a run asks for none of these again. Measures that an
    engine or a classifier reads are left to the run.

    Args:
        study: whose prompts are known without asking anybody.
        home: where the response logs lie.
        progress: hears how far it is.

    Returns:
        What became of them, by model and measure, all responses together; none of simulated models.

    Raises:
        ProviderError: a model cannot answer at all.
        BudgetError: what the study may spend is spent.
    """
    by_rule = _read_by_rule(study)
    if not by_rule:
        return []
    with open_build(IN_MEMORY) as connection:
        assemble_offline(study, connection, home)
        systems = _asked_systems(study, connection, home)
        if not systems:
            return []
        prompts = _spread_out(read_prompts(connection))
        # the first prompt was asked before: to ask another one alone takes a slow model a minute
        runs = ask_all(study, systems, prompts, home, progress, is_probed=False)
        return [*_losses(study, runs, connection, home)]


def _read_by_rule(study: Study) -> list[MeasureSpec]:
    return [one for one in study.measures if (one.choices or one.patterns) and not one.judge]


def _asked_systems(
    study: Study, connection: duckdb.DuckDBPyConnection, home: Home
) -> list[tuple[System, SystemConfig]]:
    """Every system that is no simulated one."""
    if study.has_stand_in:
        return []
    systems = asked_systems(study, connection, home)
    return [(system, config) for system, config in systems if system.spec.provider != SIMULATOR]


def _spread_out(prompts: Sequence[Prompt]) -> list[Prompt]:
    """As many as are looked at, from the first to the last: of all groups and topics."""
    n = min(N_ANSWERS, len(prompts))
    return [prompts[i * len(prompts) // n] for i in range(n)]


def _losses(study: Study, runs: Runs, connection: duckdb.DuckDBPyConnection, home: Home) -> Iterator[Losses]:
    tables = {"systems": systems_table(runs, [], has_baseline=False), "responses": responses_table(runs)}
    write_stage(connection, study.study_id, "generate", tables)
    by_rule = _read_by_rule(study)
    with tempfile.TemporaryDirectory() as cache:
        few = study.model_copy(update={"measures": by_rule})
        extract(few, connection, Path(cache), run_context=RunContext(home, SILENT, may_ask=False))
    rows = connection.execute(
        """
        select system_id, measure_id, value is not null or label is not null as is_scored, reason, response_text
        from raw.measurements
        inner join raw.responses using (system_id, prompt_id, replicate)
        where list_contains($measures, measure_id)
        order by all
        """,
        {"measures": [make_id(one.name) for one in by_rule]},
    ).fetchall()
    for system, measure in dict.fromkeys(row[:2] for row in rows):
        unscored = [row[3:] for row in rows if row[:2] == (system, measure) and not row[2]]
        lost = Counter(_LOSS_OF_REASON.get(reason, "other") for reason, _ in unscored)
        n = sum(row[:2] == (system, measure) for row in rows)
        forms = [
            Form(text, reason, n_alike)
            for (reason, text), n_alike in Counter(
                (reason, form_of(text)) for reason, text in unscored if text and text.strip()
            ).most_common()
        ]
        yield Losses(
            system_id=system,
            measure_id=measure,
            grouping_id="",
            group_id="",
            n=n,
            n_scored=n - len(unscored),
            lost={loss: lost[loss] for loss in LOSSES},
            unscored_forms=[one for one in forms if one.reason != _UNDECIDED],
            undecided_forms=[one for one in forms if one.reason == _UNDECIDED],
        )


def is_readable(losses: Losses) -> bool:
    """Whether any of the answers has a value.

    Args:
        losses: of the first answers.
    """
    return losses.n_scored > 0


def told_first_answers(losses: Losses, study: Study) -> Iterator[str]:
    """What became of the first answers of a model, what could not be read of them, and a warning where that is much.

    Of a study that hides its texts none is quoted.

    Args:
        losses: of the model and a measure.
        study: that they answer.
    """
    where = f"{study.study_id}, {losses.system_id}: {losses.measure_id}"
    yield f"{where}, first answers: {scored_in_words(losses)}, {lost_in_words(losses)}"
    by_loss: dict[str, list[Form]] = {}
    is_hidden = asks_to_hide(json.loads(study.config_json))
    for form in () if is_hidden else (*losses.unscored_forms, *losses.undecided_forms):
        if form.reason != _REFUSED or not is_readable(losses):
            by_loss.setdefault(_LOSS_OF_REASON.get(form.reason, form.reason.replace("_", " ")), []).append(form)
    for loss, forms in by_loss.items():
        yield f"    {loss:<9} {forms_in_words(forms, most=MOST_FORMS)}"
    n_unscored = losses.n - losses.n_scored - losses.lost["refused"] - losses.lost["failed"]
    if not is_readable(losses):
        most = max(losses.lost, key=lambda loss: losses.lost[loss])
        why = _WHY.get(most, _OTHERWISE).format(file=study.path.name)
        yield f"WARNING  {where}: no answer has a value. {why}"
    elif n_unscored >= FIRST_WARNED_SHARE * losses.n:
        yield (
            f"WARNING  {where}: {n_unscored} of {losses.n} answers have no value. With fewer values only larger "
            "differences are detected."
        )
