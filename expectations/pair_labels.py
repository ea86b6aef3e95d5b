"""What raw.pair_labels must satisfy where a study bounds it: few branches are bad, of all and of each group."""

from typing import Final

from great_expectations import ExpectationSuite

from expectations.few_unexpected import suite_of
from expectations.record_rules import group_members
from expectations.rules import Rule, few_unexpected
from python_assets.study.study import Study

KEYS: Final = ("prompt_id", "rater")
_MEND: Final = (
    "mend the replacements, templates or sentences of these branches, or raise analysis.quality.max_bad_pairs"
)
# as in mart pair_errors: the mean over root prompts, of each over its branches and their raters
_BY_BRANCH: Final = """
    select prompt_id, root_prompt_id, avg(if(is_minimal_pair, 0, 1)) as bad_share
    from batch
    where is_minimal_pair is not null
    group by prompt_id, root_prompt_id
"""


def suite(study: Study) -> ExpectationSuite:
    """The expectations on raw.pair_labels; none where the study bounds nothing."""
    share = study.analysis.quality.max_bad_pairs
    rules = [] if share is None else [_few_bad(share), _few_bad_of_each_group(study, share)]
    return suite_of("pair_labels", rules)


def _few_bad(share: float) -> Rule:
    return few_unexpected(
        "expect_few_bad_pairs",
        ["is_minimal_pair"],
        description=f"at most a share of {share!r} of the labelled branches is no minimal pair with its root prompt",
        notes=_MEND,
        relations={
            "branches": _BY_BRANCH,
            "shares": """
                select avg(of_root) as bad_share, sum(n_branches) as n_branches
                from (
                    select avg(bad_share) as of_root, count(*) as n_branches from branches group by root_prompt_id
                )
            """,
        },
        unexpected=f"""
            select prompt_id, round(branches.bad_share, 4) as bad_share
            from branches, shares
            where branches.bad_share > 0 and shares.bad_share > {share!r}
        """,
        evaluated="select count(*) from branches",
    )


def _few_bad_of_each_group(study: Study, share: float) -> Rule:
    """A single branch says nothing of a group: of ten it is a tenth."""
    return few_unexpected(
        "expect_few_bad_pairs_of_each_group",
        ["is_minimal_pair"],
        description=f"of a group at most a share of {share!r} of its labelled branches is a bad pair, or one branch",
        notes=_MEND,
        relations={
            **group_members(study),
            "branches": _BY_BRANCH,
            "cells": """
                select
                    grouping_id,
                    group_id,
                    avg(of_root) as bad_share,
                    sum(n_bad) as n_bad,
                    sum(n_branches) as n_branches
                from (
                    select
                        grouping_id,
                        group_id,
                        avg(bad_share) as of_root,
                        sum(bad_share) as n_bad,
                        count(*) as n_branches
                    from branches
                    inner join members using (prompt_id)
                    group by grouping_id, group_id, root_prompt_id
                )
                group by grouping_id, group_id
            """,
        },
        unexpected=f"select * from cells where n_bad > 1 and bad_share > {share!r}",
        evaluated="select count(*) from cells",
    )
