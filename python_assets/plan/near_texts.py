"""Root prompts of nearly one text, and imported rows that are counterfactuals of each other without a root prompt.

Belongs here: finding them in a time that grows with the words of all texts, not with their pairs. Nothing is merged.
The messages that stand before a prompt are of its text.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice, takewhile
from typing import Final, NamedTuple

import duckdb

from python_assets.study.study import Study
from python_assets.texts.conversations import AS_READ
from python_assets.texts.identity import as_seen

WORDS_AN_EDIT: Final = 20
_SHOWN: Final = 3
MOST_TEXTS: Final = 5_000
_MOST_WORDS: Final = 400  # between what two texts begin and end with alike
MOST_COMPARED: Final = 10  # with one text: those that share a long passage with very many are compared with some
WIDEST_GAP: Final = 3
LEAST_AROUND: Final = 3
_LEAST_SHARE: Final = 0.2
_PIECE: Final = 9  # words: a text has more such pieces than it may have edits, so one of them is whole in the other
_ROOTS: Final = f"""
    select root_prompt_id, {AS_READ} from raw.prompts
    where is_root and prompt_text is not null order by rowid limit $1
"""
_LEVELS: Final = f"""
    select p.prompt_id, {AS_READ}, string_agg(f.factor || '=' || f.level, chr(31) order by f.factor) as levels
    from raw.prompts as p join raw.prompt_factors as f using (prompt_id)
    where p.prompt_text is not null and list_contains($1, f.factor)
    group by p.prompt_id, p.messages_json, p.prompt_text, p.rowid order by p.rowid limit $2
"""


class NearTexts(NamedTuple):
    """Two root prompts of nearly one text; n_edits: words that are put in, taken out or changed."""

    first: str
    later: str
    n_edits: int
    n_words: int


def near_text_warnings(study: Study, connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Root prompts that differ in one word of twenty at most, and rows that need root_prompt.

    Args:
        study: the study.
        connection: with raw.prompts and raw.prompt_factors filled; the first MOST_TEXTS are read.
    """
    roots = connection.execute(_ROOTS, [MOST_TEXTS]).fetchall()
    if near := near_texts(roots):
        shown = ", ".join(
            f"{one.later!r} and {one.first!r} ({one.n_edits} of {one.n_words} words)" for one in islice(near, _SHOWN)
        )
        more = f" and {len(near) - _SHOWN:,} more" if len(near) > _SHOWN else ""
        yield (
            f"{len(near):,} of {len(roots):,} root prompts differ from an earlier one in one word of {WORDS_AN_EDIT} "
            f"at most, and count as prompts of their own: {shown}{more}; read them, keep one where they ask the same"
        )
    import_ = study.prompts.import_
    if import_ is not None and not import_.columns.root_prompt and import_.factors:
        yield from _hint(connection, list(import_.factors))


def near_texts(roots: Sequence[tuple[str, str]]) -> list[NearTexts]:
    """Root prompts that are nearly an earlier one, each with the first that was found.

    Args:
        roots: id and text, in order. Texts of fewer than WORDS_AN_EDIT words are near to none, and equal ones
            (identity.py) are told elsewhere.
    """
    pieces: defaultdict[int, list[int]] = defaultdict(list)
    texts: list[list[str]] = []
    near = []
    for position, (root, text) in enumerate(roots):
        words = as_seen(text).split()
        texts.append(words)
        for other in _sharing_a_piece(words, pieces):
            longer = max(len(words), len(texts[other]))
            if n_edits := edits_within(words, texts[other], longer // WORDS_AN_EDIT):
                near.append(NearTexts(roots[other][0], root, n_edits, longer))
                break
        for start in range(0, len(words) - _PIECE + 1, _PIECE):
            pieces[hash(tuple(words[start : start + _PIECE]))].append(position)
    return near


def _sharing_a_piece(words: Sequence[str], pieces: Mapping[int, list[int]]) -> list[int]:
    """Earlier texts with a piece that stands in a text, those with the rarest piece first."""
    starts = range(len(words) - _PIECE + 1)
    keys = dict.fromkeys(hash(tuple(words[start : start + _PIECE])) for start in starts)
    holding = sorted((pieces[key] for key in keys if key in pieces), key=len)
    return list(islice(dict.fromkeys(chain.from_iterable(holding)), MOST_COMPARED))


def edits_within(one: Sequence[str], other: Sequence[str], most: int) -> int | None:
    """How many words to put in, take out or change make one text the other; None where it takes more than most.

    Texts with more than MOST_WORDS between what they begin and end with alike are not compared, which is None too.
    """
    begin = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    one, other = one[begin:], other[begin:]
    end = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one[::-1], other[::-1], strict=False)))
    one, other = one[: len(one) - end], other[: len(other) - end]
    if abs(len(one) - len(other)) > most or max(len(one), len(other)) > _MOST_WORDS:
        return None
    row = {column: column for column in range(min(most, len(other)) + 1)}
    for line, word in enumerate(one, start=1):
        above, row = row, {}
        for column in range(max(line - most, 0), min(line + most, len(other)) + 1):
            changed = above.get(column - 1, most) + (column == 0 or word != other[column - 1])
            row[column] = min(changed, above.get(column, most) + 1, row.get(column - 1, most) + 1)
        if min(row.values()) > most:
            return None
    n_edits = row[len(other)]
    return n_edits if n_edits <= most else None


def _hint(connection: duckdb.DuckDBPyConnection, factors: list[str]) -> Iterator[str]:
    rows = connection.execute(_LEVELS, [factors, MOST_TEXTS]).fetchall()
    counterfactuals = counterfactual_rows(rows)
    if len(counterfactuals) < max(2, _LEAST_SHARE * len(rows)):
        return
    first, other = counterfactuals[0]
    yield (
        f"prompts.import: {len(counterfactuals):,} of {len(rows):,} prompts differ from another one in a few words of "
        f"one place and in their level, as {first!r} and {other!r} do, and no column says so: each is a root prompt of "
        "its own, and no group meets another on the same prompt; name a column in prompts.import.columns.root_prompt"
    )


def counterfactual_rows(rows: Sequence[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Prompts that are another one but for 1 to WIDEST_GAP words in one place, and for their levels.

    Args:
        rows: id, text and levels of each prompt.

    Returns:
        Each such prompt with the first that it is like; the same words must stand LEAST_AROUND in number around.
    """
    by_frame: dict[tuple[int, int, int], list[int]] = {}
    partner: dict[int, int] = {}
    for position, (_, text, levels) in enumerate(rows):
        words = as_seen(text).split()
        before, after = _hashes(words), _hashes(words[::-1])[::-1]
        for start in range(len(words)):
            for stop in range(start + 1, min(start + WIDEST_GAP, len(words)) + 1):
                if len(words) - (stop - start) < LEAST_AROUND:
                    continue
                like = by_frame.setdefault((start, before[start], after[stop]), [])
                other = next((one for one in like if rows[one][2] != levels), None)
                if other is not None:
                    partner.setdefault(position, other)
                    partner.setdefault(other, position)
                if len(like) < MOST_COMPARED and all(rows[one][2] != levels for one in like):
                    like.append(position)
    return [(rows[position][0], rows[other][0]) for position, other in sorted(partner.items())]


def _hashes(words: Sequence[str]) -> list[int]:
    """The hash of every beginning of a text, from none of its words to all."""
    return list(accumulate(words, lambda before, word: hash((before, word)), initial=0))
