"""Prompts of one root prompt that differ in more than their slots, so that groups are asked different things.

A slot is what the levels of factors write into a prompt: their texts, the names of units, and in English the
pronouns and articles that go with them. Factors of type prompt say how it is asked: prompts that differ in
one of them are not compared.
"""

import re
from typing import Final

from expectations.rules import Rule, few_unexpected, literal, relation
from python_assets.study.factors import KnownFactor, study_factors
from python_assets.study.imports import TABLE
from python_assets.study.study import Study
from python_assets.texts.conversations import AS_READ

_PRONOUNS: Final = (
    *("he", "she", "him", "her", "his", "hers", "himself", "herself"),
    *("they", "them", "their", "theirs", "themselves"),
)
_SLOT: Final = "{}"


def only_slots_differ(study: Study) -> list[Rule]:
    """The expectation, where a study brings prompts whose texts somebody wrote; none elsewhere.

    Args:
        study: from templates or a table. Branches of sentences have a check of their own, and other formats
            write their items as they do.
    """
    imported = study.prompts.import_
    is_table = imported is not None and imported.format == TABLE and imported.columns.tells_texts
    if study.prompts.templates is None and not is_table:
        return []
    known = [factor for factor in study_factors(study).values() if factor.has_prompts and factor.is_own]
    wording = [(factor.name,) for factor in known if factor.type == "prompt" and not factor.is_unit]
    unlisted = [(factor.name,) for factor in known if factor.levels is None]
    study_condition = f"study_id = '{study.study_id}'"
    return [
        few_unexpected(
            "expect_only_slots_differ",
            ["prompt_text"],
            severity="warning",
            description="prompts of one root prompt differ only in what levels of factors write into them",
            notes="make the texts alike, declare the texts of levels, or name a factor for what differs",
            relations={
                "wording": relation({"factor": "varchar"}, wording),
                "unlisted": relation({"factor": "varchar"}, unlisted),
                "asked_as": f"""
                    select prompt_id, string_agg(factor || '=' || level, ';' order by factor) as asked_as
                    from raw.prompt_factors
                    where {study_condition} and factor in (select factor from wording)
                    group by prompt_id
                """,
                "own_levels": f"""
                    select prompt_id, list(level order by length(level) desc, level) as own_levels
                    from raw.prompt_factors
                    where {study_condition} and factor in (select factor from unlisted)
                    group by prompt_id
                """,
                "masked": f"""
                    select
                        prompt_id,
                        root_prompt_id,
                        is_root,
                        coalesce(asked_as, '') as asked_as,
                        {_masked(study, known)} as masked_text
                    from batch
                    left join asked_as using (prompt_id)
                    left join own_levels using (prompt_id)
                    where prompt_text is not null and negative_control is null
                """,
                "compared": """
                    select
                        *,
                        first_value(masked_text) over same_root as masked_root,
                        count(*) over (partition by root_prompt_id, asked_as) as n_prompts
                    from masked
                    window same_root as (
                        partition by root_prompt_id, asked_as order by is_root desc, prompt_id
                    )
                """,
            },
            unexpected="""
                select
                    prompt_id,
                    root_prompt_id,
                    left(masked_text, 200) as masked_text,
                    left(masked_root, 200) as masked_root
                from compared
                where masked_text <> masked_root
            """,
            evaluated="select count(*) from compared where n_prompts > 1",
        )
    ]


def _masked(study: Study, known: list[KnownFactor]) -> str:
    """SQL of a prompt with every slot written alike."""
    texts = {
        study.factors[factor.name].texts.get(level, level) if factor.name in study.factors else level
        for factor in known
        for level in factor.levels or ()
    }
    words = sorted({*texts, *_PRONOUNS}, key=lambda text: (-len(text), text))
    pattern = "(?i)" + "|".join(_whole(word) for word in words)
    # a boundary stands beside letters of ASCII alone, as in _whole
    one = (
        "if(regexp_matches(own, '^[A-Za-z0-9]'), '\\b', '') || regexp_escape(own) "
        "|| if(regexp_matches(own, '[A-Za-z0-9]$'), '\\b', '')"
    )
    levels_masked = (
        f"list_reduce(list_prepend({AS_READ}, coalesce(own_levels, [])), "
        f"lambda text, own: regexp_replace(text, '(?i)' || {one}, '{_SLOT}', 'g'))"
    )
    slots = f"regexp_replace({levels_masked}, {literal(pattern)}, '{_SLOT}', 'g')"
    return f"regexp_replace({slots}, '(?i)\\b(a|an|the) \\{{\\}}', '{_SLOT}', 'g')"


def _whole(text: str) -> str:
    """An expression of a text as whole words; RE2 has word boundaries of ASCII alone."""
    before = r"\b" if re.match(r"[A-Za-z0-9]", text) else ""
    after = r"\b" if re.search(r"[A-Za-z0-9]\Z", text) else ""
    return before + re.sub(r"([^\w\s])", r"\\\1", text) + after
