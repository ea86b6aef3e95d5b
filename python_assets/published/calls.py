"""Retries, failed requests and served versions of systems, as one line each for the terminal and the report.

Belongs here: the words. What they count are marts calls, failed_calls and systems.
"""

from collections.abc import Mapping
from typing import Any, Final

from python_assets.study.problems import plural

CALLS_BY_SYSTEM: Final = """
    with requests as (
        select system_id, sum(n_retries) as n_retries, sum(n_requests) - sum(n_retries_known) as n_unknown,
            sum(n_requests) filter (where outcome = 'error') as n_errors
        from calls
        where study_id = $study
        group by system_id
    ),
    failures as (
        select system_id, failure, sum(n_failed_calls) as n
        from failed_calls
        where study_id = $study
        group by system_id, failure
    ),
    listed as (
        select system_id, list({'failure': failure, 'n': n} order by n desc, failure) as failures
        from failures
        group by system_id
    )
    select system_id, n_retries, n_unknown, n_errors, failures, n_served_models, served_models,
        n_system_fingerprints, system_fingerprints
    from systems
    left join requests using (system_id)
    left join listed using (system_id)
    where study_id = $study
        and (n_retries > 0 or n_errors > 0 or n_served_models > 1 or n_system_fingerprints > 1)
    order by system_id
"""
"""Systems with a retry, a request without a response, several served versions or several system fingerprints."""
_MOST_VERSIONS: Final = 4


def calls_in_words(row: Mapping[str, Any]) -> str:
    """The line of one system: 'gpt: 2 calls repeated; failed calls: 429 (2); served by 2 versions: a, b'.

    Args:
        row: of CALLS_BY_SYSTEM.
    """
    n_retries, n_unknown, n_errors = (int(row[name] or 0) for name in ("n_retries", "n_unknown", "n_errors"))
    unknown = f" (not recorded of {plural(n_unknown, 'request')})" if n_unknown else ""
    failures = ", ".join(f"{one['failure']} ({int(one['n']):,})" for one in row["failures"] or ())
    clauses = [
        f"{plural(n_retries, 'call')} repeated{unknown}" if n_retries else "",
        f"{plural(n_errors, 'request')} without a response" if n_errors else "",
        f"failed calls: {failures}" if failures else "",
        *versions_in_words(row),
    ]
    return f"{row['system_id']}: {'; '.join(filter(None, clauses))}"


def versions_in_words(row: Mapping[str, Any]) -> list[str]:
    """Write which versions and configurations of a service answered, each where it is more than one.

    Args:
        row: with n_served_models, served_models, n_system_fingerprints and system_fingerprints, as table systems.
    """
    clauses = []
    if (row["n_served_models"] or 0) > 1:
        clauses.append(f"served by {row['n_served_models']} versions: {_first_versions(row['served_models'])}")
    if (row["n_system_fingerprints"] or 0) > 1:
        names = _first_versions(row["system_fingerprints"])
        clauses.append(f"{row['n_system_fingerprints']} system fingerprints: {names}")
    return clauses


def _first_versions(joined: str) -> str:
    names = joined.split(", ")
    n_more = len(names) - _MOST_VERSIONS
    return ", ".join([*names[:_MOST_VERSIONS], *([f"{n_more:,} more"] if n_more > 0 else [])])
