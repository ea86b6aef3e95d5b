"""Texts that stand under several root prompts, so that one prompt would count as several.

Belongs here: telling of them. Templates and sentences of one text are one root prompt before they come here.
"""

from collections.abc import Iterator

import pandas as pd

from python_assets.texts.conversations import texts_as_read
from python_assets.texts.identity import as_seen


def repeated_text_notes(prompts: pd.DataFrame) -> Iterator[str]:
    """How many root prompts ask what another one asks.

    Args:
        prompts: rows of raw.prompts; those without a text are passed over. What stands before a text is of it.
    """
    root_texts = prompts.loc[prompts["prompt_text"].notna(), ["root_prompt_id"]]
    read = texts_as_read(prompts).dropna()
    seen = {text: as_seen(text) for text in read.unique()}
    root_texts = root_texts.assign(seen=read.map(seen)).drop_duplicates(["root_prompt_id", "seen"])
    repeated = root_texts[root_texts["seen"].duplicated(keep=False)]
    if repeated.empty:
        return
    n, n_roots = repeated["root_prompt_id"].nunique(), root_texts["root_prompt_id"].nunique()
    first, other = repeated.loc[repeated["seen"] == repeated["seen"].iloc[0], "root_prompt_id"].iloc[:2]
    yield (
        f"{n:,} of {n_roots:,} root prompts hold a text that another one holds too, and count all the same, as if "
        f"they were different prompts: first {first!r} and {other!r}; keep one of them, or give them one root prompt"
    )
