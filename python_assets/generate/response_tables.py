"""What generations answered as rows of raw.systems and raw.responses."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from python_assets.providers.provider import providers
from python_assets.providers.records import Description, SystemRun
from python_assets.study.base import BASELINE, REPLAY
from python_assets.study.model_family import model_family
from python_assets.study.study import System
from python_assets.warehouse.raw_tables import columns_of

_ANSWER_COLUMNS: Final = columns_of("responses", without={"system_id"})
_UNSTORABLE: Final = re.compile("[\ud800-\udfff\x00]")

Runs = Sequence[tuple[System, SystemRun]]


def responses_table(runs: Runs) -> pd.DataFrame:
    """Rows of raw.responses, in the order of the runs."""
    tables = [_answers_table(run).assign(system_id=system.system_id) for system, run in runs]
    filled = [table for table in tables if len(table)]
    return pd.concat(filled) if filled else pd.DataFrame(columns=columns_of("responses"))


def systems_table(runs: Runs, engines: Sequence[tuple[System, Description]], has_baseline: bool) -> pd.DataFrame:
    """Rows of raw.systems.

    Args:
        runs: of the generations that answered prompts.
        engines: those that wrote for other stages, with the models behind them.
        has_baseline: whether any prompt has a baseline text.
    """
    rows = [_row(system, run.description, run.is_simulated, run.extension) for system, run in runs]
    rows += [
        {**_row(engine, description, _is_simulated(engine), {}), "is_engine": True} for engine, description in engines
    ]
    if has_baseline:
        rows.append(_BASELINE_ROW)
    return pd.DataFrame(rows)


def _row(system: System, description: Description, is_simulated: bool, extension: Mapping[str, Any]) -> dict[str, Any]:
    spec = system.spec
    # how imported responses were drawn is not known
    decoding = {} if spec.provider == REPLAY else spec.decoding.model_dump(exclude_none=True)
    return {
        "system_id": system.system_id,
        "provider": spec.provider,
        "model": system.model,
        "model_family": model_family(system.model),
        "model_digest": description.model_digest,
        "engine_version": description.engine_version,
        "system_prompt_name": system.system_prompt_name,
        "template": system.template,
        "extension": system.extension_name or (system.extension.type if system.extension else ""),
        "system_prompt": system.system_prompt,
        "prompt_template": system.prompt_template,
        "decoding_json": _json(decoding),
        "extensions_json": _json(extension),
        "model_details_json": _json({**description.model_details, "options": spec.options}),
        "is_simulated": is_simulated,
        "is_engine": False,
        "is_baseline": False,
    }


_BASELINE_ROW: Final[dict[str, Any]] = {
    "system_id": BASELINE,
    "provider": BASELINE,
    "model": "",
    "model_family": "",
    "model_digest": None,
    "engine_version": None,
    "system_prompt_name": "",
    "template": "",
    "extension": "",
    "system_prompt": "",
    "prompt_template": None,
    "decoding_json": "{}",
    "extensions_json": "{}",
    "model_details_json": "{}",
    "is_simulated": False,
    "is_engine": False,
    "is_baseline": True,
}


def _is_simulated(engine: System) -> bool:
    provider = engine.spec.provider
    return provider in providers and providers[provider].is_simulated


def _answers_table(run: SystemRun) -> pd.DataFrame:
    """One row a response, in order."""
    columns = {name: [getattr(response, name) for response in run.responses] for name in _ANSWER_COLUMNS}
    for name in ("response_text", "error", "context_json", "served_model"):
        columns[name] = [_storable(text) for text in columns[name]]
    return pd.DataFrame(columns, columns=_ANSWER_COLUMNS)


def _storable(text: str | None) -> str | None:
    """DuckDB takes neither lone surrogates nor NUL, which a model's JSON may hold; the log keeps them."""
    return None if text is None else _UNSTORABLE.sub("\ufffd", text)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
