"""Articles that do not fit the word after them, found by its sound as far as letters tell it."""

from typing import Final

from expectations.rules import Rule, few_unexpected
from python_assets.texts.articles import AS_LETTERS, CONSONANT, UNTOLD, VOWEL

_PHRASE: Final = r"(?:^|[^\pL\pM\pN])((?:[Aa]n?|AN|[Tt]he|THE)\s+[\pL\pN][\pL\pM\pN.,’''-]*)"
MISREAD: Final = rf"""
    with texts as (
        select prompt_id, root_prompt_id, is_root, unnest([prompt_text, baseline_text]) as text_read
        from batch
    ),

    phrases as (
        select distinct
            prompt_id,
            root_prompt_id,
            is_root,
            unnest(regexp_extract_all(text_read, '{_PHRASE}', 1)) as phrase
        from texts
    ),

    parted as (
        select
            *,
            lower(regexp_extract(phrase, '^\S+')) as article,
            rtrim(regexp_extract(phrase, '\S+$'), '.,’''-') as word
        from phrases
    ),

    heard as (
        select
            *,
            case
                when regexp_matches(word, '{UNTOLD}') then null
                when regexp_matches(word, '{AS_LETTERS}') then regexp_matches(word, '^[AEIO]')
                when regexp_matches(lower(word), '{CONSONANT}') then false
                else regexp_matches(lower(word), '{VOWEL}')
            end as starts_with_vowel
        from parted
    )

    select b.prompt_id, b.phrase
    from heard as b
    left join heard as r
        on b.root_prompt_id = r.root_prompt_id and r.is_root and lower(b.phrase) = lower(r.phrase)
    where
        not b.is_root
        and r.prompt_id is null
        and (
            b.word in ('a', 'an', 'the', 'The')
            or (b.article = 'a' and b.starts_with_vowel)
            or (b.article = 'an' and not b.starts_with_vowel)
        )
"""


def fitting_articles() -> Rule:
    """In a branch no article of an English text stands before a word that it does not fit."""
    return few_unexpected(
        "expect_fitting_articles",
        ["prompt_text", "baseline_text"],
        severity="warning",
        description="in a branch no article stands before a word that it does not fit: an Italy, the the",
        notes=("give the words with their article in prompts.branch.forms, or leave it: the text is not changed"),
        unexpected=MISREAD,
        evaluated="select count(*) from batch where not is_root",
    )
