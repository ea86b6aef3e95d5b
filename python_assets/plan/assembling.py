"""What assembling costs: sentences and branches left after each step, those that went, and blocks a group.

Belongs here: counting and listing on the raw tables of an assembled study in memory. Why a sentence or a branch
went is assemble's.
"""

import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

import duckdb

from python_assets.assemble.root_prompts import SAME_TEXT
from python_assets.plan.requested import IN_MEMORY, assemble_offline
from python_assets.plan.text import STEP_HEADER, PlannedBlocks, PlannedStep, aligned
from python_assets.study.base import NEGATIVE_CONTROL
from python_assets.study.problems import listed
from python_assets.study.study import Study, grouping_id
from python_assets.warehouse import paths
from python_assets.warehouse.build import open_build

BRANCH_HEADER: Final = ("root prompt or sentence", "level", "branch to", "what became of it", "words", "text")
MOST_OF_A_TEXT: Final = 80
MOST_OF_WORDS: Final = 60
_BEFORE: Final = {"names_another_level": "that name no other level", "not_sampled": "of them tried (max_per_level)"}
_AFTER: Final = {SAME_TEXT: "of them with a text of their own"}
_SENTENCES: Final = """
    select dropped_reason, portability is not null as is_checked, count(*)
    from raw.sentence_outcomes group by all order by count(*) desc, dropped_reason
"""
_BRANCHES: Final = """
    select dropped_reason, count(*) from raw.branch_outcomes group by all order by count(*) desc, dropped_reason
"""
_BLOCKS: Final = f"""
    with present as (
        select distinct slice_id, grouping_id, unit_id, block_id, group_id from planned_cells
        where scheme = 'blocked' and not is_of_models and grouping_id <> '{NEGATIVE_CONTROL}'
    ),
    counted as (
        select *, count(*) over (partition by slice_id, grouping_id, unit_id, block_id) as n_present from present
    )
    select grouping_id, slice_id, group_id, count(*) filter (where n_present > 1) as n_blocks
    from counted group by all order by grouping_id, slice_id, n_blocks, group_id
"""
_LISTED: Final = """
    with sentences_that_went as (
        select o.sentence_id as root, s.level as root_level, null as level, o.dropped_reason as outcome,
            o.portability_words as words, s.sentence_text as text, 3 as place
        from raw.sentence_outcomes as o join raw.sentences as s using (sentence_id)
        where o.dropped_reason is not null
    ),
    root_prompts as (
        select p.root_prompt_id as root, b.root_level, null as level,
            case when count(b.level) = 0 then 'kept, not branched'
                else format('kept, {} of {} branches', count(b.level) - count(b.dropped_reason), count(b.level))
            end as outcome,
            null as words, p.prompt_text as text, 1 as place
        from raw.prompts as p left join raw.branch_outcomes as b using (root_prompt_id)
        where p.is_root
        group by p.root_prompt_id, b.root_level, p.prompt_text
    ),
    branches_that_went as (
        select root_prompt_id as root, root_level, level, dropped_reason as outcome, words, null as text, 2 as place
        from raw.branch_outcomes where dropped_reason is not null
    )
    select root, root_level, level, outcome, words, text
    from (from root_prompts union all from branches_that_went union all from sentences_that_went)
    order by place = 3, root, place, level
"""


def planned_steps(connection: duckdb.DuckDBPyConnection) -> list[PlannedStep]:
    """Sentences and branches left after each step that took some; none where nothing was scraped.

    Args:
        connection: with raw.sentence_outcomes and raw.branch_outcomes filled.
    """
    counts = connection.execute(_SENTENCES).fetchall()
    if not counts:
        return []
    by_step: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for reason, is_checked, n in counts:
        if reason is not None:
            checked = "of them that carry over" if is_checked else "of them with a prompt"
            by_step[(_BEFORE | _AFTER).get(reason, checked)][reason] += n
    left = sum(n for *_, n in counts)
    steps = [PlannedStep("sentences with a keyword", left, {})]
    for name in (*_BEFORE.values(), "of them with a prompt", *_AFTER.values(), "of them that carry over"):
        if went := by_step.get(name):
            left -= went.total()
            steps.append(PlannedStep(name, left, dict(went)))
    branches = dict(connection.execute(_BRANCHES).fetchall())
    if branches:
        steps.append(PlannedStep("pairs of root prompt and level", sum(branches.values()), {}))
        n = branches.pop(None, 0)
        steps.append(PlannedStep("branches", n, branches))
    return steps


def planned_blocks(connection: duckdb.DuckDBPyConnection, *, is_branched: bool) -> list[PlannedBlocks]:
    """How many blocks the groups of each grouping stand in, where branching or a gap may make them unequal.

    Args:
        connection: with the table planned_cells.
        is_branched: whether equal numbers are told too.
    """
    by_grouping: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for grouping, slice_id, group, n in connection.execute(_BLOCKS).fetchall():
        by_grouping[grouping, slice_id][group] = n
    blocks = (PlannedBlocks(*keys, counts) for keys, counts in by_grouping.items() if len(counts) > 1)
    return [one for one in blocks if is_branched or one.fewest != one.most]


def block_warnings(study: Study, connection: duckdb.DuckDBPyConnection, blocks: list[PlannedBlocks]) -> Iterator[str]:
    """The groups that stand in the fewest blocks, and why their branches went."""
    scrape_spec = study.prompts.scrape
    for one in blocks:
        if one.fewest == one.most:
            continue
        groups = [group for group, n in one.n_blocks.items() if n == one.fewest]
        why = ""
        if scrape_spec is not None and one.grouping_id == grouping_id([scrape_spec.factor]):
            levels = [level for level in scrape_spec.levels if study.prompts.level(level) in groups]
            why = _reasons_of(connection, levels)
        yield (
            f"grouping {one.name}: groups stand in {one.fewest:,} to {one.most:,} blocks, fewest {listed(groups)}"
            f"{why}: they are compared on fewer prompts than the others"
        )


def _reasons_of(connection: duckdb.DuckDBPyConnection, levels: list[str]) -> str:
    rows = connection.execute(
        "select dropped_reason, count(*), min(words) from raw.branch_outcomes where dropped_reason is not null "
        "and list_contains($1, level) group by all order by count(*) desc, dropped_reason",
        [levels],
    ).fetchall()
    reasons = ", ".join(f"{n:,} {reason}" + (f" ({words!r})" if words else "") for reason, n, words in rows)
    return f", whose branches went for {reasons}" if reasons else ""


def list_branches(study: Study) -> str:
    """Every root prompt with the number of its branches, and every sentence and branch that went, with its reason.

    Args:
        study: read and found valid; what is not fetched or asked yet is not fetched or asked.

    Raises:
        OfflineError: something would have to be.
        SourceError: as assemble.
    """
    with open_build(IN_MEMORY) as connection:
        assemble_offline(study, connection, paths.home())
        steps = planned_steps(connection)
        rows = connection.execute(_LISTED).fetchall()
    tables = [aligned(STEP_HEADER, [one.cells() for one in steps])] if steps else []
    return "\n\n".join([*tables, aligned(BRANCH_HEADER, [tuple(_cells(row)) for row in rows])])


def _cells(row: tuple[str | int | None, ...]) -> Iterator[str]:
    for value, longest in zip(row, (None, None, None, None, MOST_OF_WORDS, MOST_OF_A_TEXT), strict=True):
        text = "" if value is None else str(value)
        yield text if longest is None else textwrap.shorten(text, longest, placeholder=" ...")
