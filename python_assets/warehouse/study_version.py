"""Which version of the study file every asset was made with: nothing is made of two.

Assets are named as in Dagster, raw/prompts; what is made of what is for the caller to say.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

import duckdb

from python_assets.errors import StudyError, Told
from python_assets.study.study import Study
from python_assets.warehouse.build import transaction

KEYS_SHOWN: Final = 5
VALUE_CHARACTERS: Final = 40
_ABSENT: Final = "(absent)"
_TABLE: Final = """
    create table if not exists raw.asset_versions (
        asset varchar not null,
        config_sha256 varchar not null,
        config_json varchar not null,
        is_finished boolean not null,
        stamp varchar
    )
"""
# of build files that were made before there was one
_STAMPED: Final = "alter table raw.asset_versions add column if not exists stamp varchar"
_NO_STAMP: Final = ""


def begin_assets(connection: duckdb.DuckDBPyConnection, study: Study, made: Iterable[str], read: Iterable[str]) -> None:
    """Refuse to make assets of others that were made with another version of the study file.

    Until `finish_assets` they count as unfinished if their rows are of another version.

    Args:
        connection: the open build file.
        study: the study file as it is now.
        made: the assets that are about to be made.
        read: all assets that they are made of, directly or not, what comes first first.

    Raises:
        StudyError: one of these was made with another version; the text names the keys that changed and the
            asset to start from.
    """
    connection.execute(_TABLE)
    connection.execute(_STAMPED)
    rows = connection.execute(
        "select asset, config_sha256, config_json, is_finished from raw.asset_versions"
    ).fetchall()
    versions = {asset: version for asset, *version in rows}
    for asset in read:
        sha256, config_json, is_finished = versions.get(asset, (study.config_sha256, "", True))
        if sha256 != study.config_sha256 or not is_finished:
            raise _refusal(study, asset, sha256, config_json)
    connection.execute(
        "update raw.asset_versions set is_finished = false where asset in ? and config_sha256 <> ?",
        [list(made), study.config_sha256],
    )


def finish_assets(
    connection: duckdb.DuckDBPyConnection, study: Study, made: Iterable[str], stamp: str = _NO_STAMP
) -> None:
    """Write down which version of the study file assets were made with, and what of.

    Args:
        connection: the open build file, after begin_assets.
        study: the study as it was when they were begun.
        made: the assets.
        stamp: of all that they are made of (stages_made.py), where a later run may go on from them.
    """
    assets = list(made)
    with transaction(connection):
        connection.execute("delete from raw.asset_versions where asset in ?", [assets])
        connection.execute(
            "insert into raw.asset_versions (asset, config_sha256, config_json, is_finished, stamp) "
            "select unnest(?), ?, ?, true, ?",
            [assets, study.config_sha256, study.config_json, stamp],
        )


def changed_keys(before: str, now: str) -> list[str]:
    """What differs between two study files, as `analysis.alpha 0.05 -> 0.2`.

    Args:
        before: config_json of the one.
        now: of the other.
    """
    old, new = (dict(_leaves(json.loads(text), "")) for text in (before, now))
    return [
        f"{key} {_cut(old.get(key, _ABSENT))} -> {_cut(new.get(key, _ABSENT))}"
        for key in {**old, **new}
        if old.get(key) != new.get(key)
    ]


def _refusal(study: Study, asset: str, sha256: str, config_json: str) -> StudyError:
    keys = changed_keys(config_json, study.config_json)
    more = f" and {len(keys) - KEYS_SHOWN} more" if len(keys) > KEYS_SHOWN else ""
    got = f"{', '.join(keys[:KEYS_SHOWN])}{more}, changed since {asset} was materialised"
    if sha256 == study.config_sha256:
        got = f"a change while {asset} was materialised, which did not finish"
    again = f"materialise {asset} and everything after it again, as plumbline run {study.study_id} does"
    return StudyError(study.path, Told(got), remedy=f"{again}, or undo the edit")


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for position, item in enumerate(value):
            yield from _leaves(item, f"{path}[{position}]")
    else:
        yield path, json.dumps(value, ensure_ascii=False)


def _cut(value: str) -> str:
    return value if len(value) <= VALUE_CHARACTERS else f"{value[:VALUE_CHARACTERS]}..."
