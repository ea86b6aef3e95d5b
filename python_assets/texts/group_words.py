"""The words that name the group of a prompt: levels, their forms, and names of people, and what kind each is.

Belongs here: which words, for a level or a prompt. Writing neutral ones in their place is neutral_words.py.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, Literal, NamedTuple

import duckdb

from python_assets.study.factors import KnownFactor, study_factors
from python_assets.study.prompts import Branch
from python_assets.study.study import Scrape, Study
from python_assets.texts.conversations import AS_READ
from python_assets.texts.proper_names import is_ordinary
from python_assets.texts.textblob_english import part_of_speech

Level = tuple[str, str]
WordKind = Literal["person", "place", "adjective", "people", "noun", "quality"]

# levels that name nobody: as words of an answer they are its judgement
_NAME_NOBODY: Final = frozenset(
    {"all", "any", "both", "control", "default", "false", "neither", "neutral", "no", "none", "other", "others"}
    | {"reference", "rest", "true", "unknown", "yes"}
)
_LEVEL: Final = "level"
_TEXT: Final = "text"
_KEYWORD: Final = "keyword"
_FORM_KINDS: Final[Mapping[str, WordKind]] = {"name": "place", "place": "place", "adjective": "adjective"}
_OF_PEOPLE: Final = re.compile(r"(?:^|_)(?:applicant|candidate|name|person)s?(?:_|$)", re.IGNORECASE)
_ADJECTIVE: Final = re.compile(
    r"(?:[^\W\d_]an|ese|[fn]ch|ic|ish|sh|ss|i|thai|malay|dutch|black|white)\Z", re.IGNORECASE
)
_PLURAL: Final = re.compile(r"(?:[^su]s|men|women|people|children)\Z")
_ARTICLE: Final = re.compile(r"(?:an?|the) ", re.IGNORECASE)
_TOKEN: Final = re.compile(r"[^\W_]+(?:['’-](?!s\b)[^\W_]+)*")

_LEVELS = "select distinct factor, level from raw.prompt_factors where study_id = ? order by all"
_KEYWORDS = "select distinct level, keyword from raw.keywords where study_id = ? order by all"
_WORDINGS = """
select distinct unit_id, json_extract_string(replacements_json, ?) as wording_text, level
from raw.prompts inner join raw.prompt_factors using (study_id, prompt_id)
where study_id = ? and unit_factor = ? and factor = ? order by all
"""
_PROMPT_TEXTS = f"""
select prompt_id, root_prompt_id, {AS_READ}, negative_control is not null from raw.prompts
where study_id = ? and prompt_text is not null order by prompt_id
"""


class GroupWord(NamedTuple):
    """A word that names a level; words of one form (adjectives of countries) are of one kind."""

    level: Level
    word: str
    form: tuple[str, str]


class GroupWords(NamedTuple):
    """Every word that names a level, and names of people by the prompts that they stand in."""

    words: Sequence[GroupWord]
    names: Mapping[str, Sequence[str]]

    @property
    def spelled(self) -> set[str]:
        """Every word, and every name in prompts."""
        return {one.word for one in self.words} | {name for names in self.names.values() for name in names}

    @property
    def levels(self) -> set[Level]:
        """The levels that have a word."""
        return {one.level for one in self.words}


def group_words(study: Study, connection: duckdb.DuckDBPyConnection) -> GroupWords:
    """The words that name groups in the prompts of a study.

    Args:
        study: the study.
        connection: its build file, with raw.prompts, raw.prompt_factors and raw.keywords.

    Returns:
        Of every level of a domain or of a unit its name, the text that stands for it in templates, the words
        that branches write for it, and its keywords with a capital. Imports may have names in their prompts
        alone: words with a capital that some prompt of the same root prompt lacks.
    """
    words = words_of_levels(study, connection)
    if (scrape := study.prompts.scrape) is not None:
        words += _keywords(scrape, study, connection)
    named = [one for one in dict.fromkeys(words) if _names_somebody(one.word)]
    known = {token.casefold() for one in named for token in _TOKEN.findall(one.word)}
    is_imported = study.prompts.import_ is not None
    return GroupWords(named, _names_in_prompts(study, connection, known) if is_imported else {})


def words_of_levels(study: Study, connection: duckdb.DuckDBPyConnection) -> list[GroupWord]:
    """The words for every level of a domain or of a unit: its name, its text in templates, and what branches write.

    Args: as of group_words.
    """
    wordings = study.prompts.wordings
    factors = {
        name: factor for name, factor in study_factors(study).items() if _names_groups(factor) and name not in wordings
    }
    levels = connection.execute(_LEVELS, [study.study_id]).fetchall()
    words = [word for factor, level in levels if factor in factors for word in _words_of_level(study, factor, level)]
    return words + [*_wordings(study, connection)]


def _wordings(study: Study, connection: duckdb.DuckDBPyConnection) -> Iterator[GroupWord]:
    """Of every wording the words that not all groups have in it, as words of the first factor of its group."""
    for name, units in study.prompts.wordings.items():
        factor, texts = units.nested_in[0], defaultdict[str, dict[str, str]](dict)
        slot = f'$."{{{name}}}"'
        for wording, text, level in connection.execute(_WORDINGS, [slot, study.study_id, name, factor]).fetchall():
            texts[wording][text] = level
        for levels in texts.values():
            shared = set.intersection(*(set(text.split()) for text in levels))
            for text, level in levels.items():
                for is_shared, run in groupby(text.split(), shared.__contains__):
                    if not is_shared:
                        yield GroupWord((factor, level), " ".join(run), (factor, _TEXT))


def _names_groups(factor: KnownFactor) -> bool:
    is_of_prompts = factor.origin != "derived" or factor.mapped_from is not None
    return factor.is_unit or (is_of_prompts and factor.type == "domain")


def _names_somebody(word: str) -> bool:
    letters = sum(map(str.isalpha, word))
    return letters > 0 and (len(word) > 1 or not word.isascii()) and word.casefold() not in _NAME_NOBODY


def _words_of_level(study: Study, factor: str, level: str) -> Iterator[GroupWord]:
    yield GroupWord((factor, level), level, (factor, _LEVEL))
    if factor in study.factors and (text := study.factors[factor].texts.get(level)):
        yield GroupWord((factor, level), text, (factor, _TEXT))
    scrape, branch = study.prompts.scrape, study.prompts.branch
    if scrape is None or branch is None or scrape.factor != factor:
        return
    for merged_level in branch.merge.get(level, [level]):
        for form, word in _branched_words(scrape, branch, merged_level):
            yield GroupWord((factor, level), word, (factor, form))


def _branched_words(scrape: Scrape, branch: Branch, level: str) -> Iterator[tuple[str, str]]:
    """The words of a level before levels merge, by form: that of the level's own name, or of what it replaces."""
    yield _LEVEL, level
    for form, words in branch.forms.get(level, {}).items():
        yield from ((_LEVEL if form == "name" else form, one) for one in ([words] if isinstance(words, str) else words))
    sources = {source for source, _ in branch.ends(scrape.levels)}
    for replaced, written in branch.replacements.get(level, {}).items():
        yield _LEVEL if replaced in sources else replaced, written
    if level in sources:
        for replacements in branch.replacements.values():
            yield from ((_LEVEL if word == level else word, word) for word in replacements)


def _keywords(scrape: Scrape, study: Study, connection: duckdb.DuckDBPyConnection) -> Iterator[GroupWord]:
    """Keywords that are names: one in small letters is a word of the subject as much as of the level."""
    for level, keyword in connection.execute(_KEYWORDS, [study.study_id]).fetchall():
        if keyword[:1].isupper():
            yield GroupWord((scrape.factor, study.prompts.level(level)), keyword, (scrape.factor, _KEYWORD))


def _names_in_prompts(
    study: Study, connection: duckdb.DuckDBPyConnection, known: set[str]
) -> dict[str, tuple[str, ...]]:
    """Names by prompt: runs of words with a capital that some prompt of a group of the same root prompt lacks.

    A control has those of them that stand in it: what its edit wrote is no name.
    """
    texts: dict[str, dict[str, str]] = {}
    controls: dict[str, dict[str, str]] = {}
    for prompt, root, text, is_control in connection.execute(_PROMPT_TEXTS, [study.study_id]).fetchall():
        (controls if is_control else texts).setdefault(root, {})[prompt] = text
    names_by_prompt: dict[str, tuple[str, ...]] = {}
    for root, prompts in texts.items():
        tokens = {text: frozenset(_TOKEN.findall(text)) for text in set(prompts.values())}
        everywhere = frozenset.intersection(*tokens.values())
        names = {text: tuple(_names_in(text, everywhere, known)) for text in tokens}
        group_names = {name for text_names in names.values() for name in text_names}
        for prompt, text in controls.get(root, {}).items():
            prompts[prompt] = text
            names[text] = tuple(name for name in _names_in(text, everywhere, known) if name in group_names)
        names_by_prompt |= {prompt: names[text] for prompt, text in prompts.items() if names[text]}
    return names_by_prompt


def _names_in(text: str, everywhere: frozenset[str], known: set[str]) -> Iterator[str]:
    run: list[re.Match[str]] = []
    for token in [*_TOKEN.finditer(text), None]:
        goes_on = token is not None and token.group()[0].isupper() and token.group() not in everywhere
        if run and (not goes_on or token is None or text[run[-1].end() : token.start()] != " "):
            words = [one.group() for one in run]
            if _may_be_name(words, known):
                yield " ".join(words)
            run = []
        if goes_on and token is not None:
            run.append(token)


def _may_be_name(words: Sequence[str], known: set[str]) -> bool:
    if all(word.casefold() in known for word in words):
        return False
    return len(words) > 1 or (len(words[0]) > 1 and part_of_speech(words[0]) in (None, "NNP"))


def kind_of(form: tuple[str, str], words: Sequence[str]) -> WordKind:
    """The kind that most words of a form are of, so that those of all groups are replaced alike.

    Args:
        form: a factor, and what its words are: level, text, keyword, a key of forms, or a word replaced.
        words: all words of that form.
    """
    factor, name = form
    if name in _FORM_KINDS:
        return _FORM_KINDS[name]
    if name == _KEYWORD:
        return "place"
    kinds = [_kind_of_word(word, is_of_people=_OF_PEOPLE.search(factor) is not None) for word in words]
    return max(dict.fromkeys(kinds), key=kinds.count)


def _kind_of_word(word: str, *, is_of_people: bool) -> WordKind:
    pieces = word.split()
    if is_common(word):
        tag = part_of_speech(pieces[-1].lower())
        return "noun" if (tag or "").startswith("NN") or (tag is None and is_plural(word)) else "quality"
    has_capitals = all(piece[0].isupper() for piece in pieces)
    if has_capitals and (is_of_people or (len(pieces) > 1 and any(map(_is_unknown, pieces)))):
        return "person"
    if is_plural(word):
        return "people"
    return "adjective" if _ADJECTIVE.search(word) else "place"


def _is_unknown(word: str) -> bool:
    return part_of_speech(word) is None and not is_ordinary(word)


def is_common(word: str) -> bool:
    """Whether a word or phrase is no name: in small letters, or with capitals that ordinary words are given."""
    if word.islower():
        return True
    pieces = _ARTICLE.sub("", word, count=1).split()
    return all(is_ordinary(piece) and part_of_speech(piece) not in ("NNP", "NNPS") for piece in pieces)


def is_plural(word: str) -> bool:
    """Whether a noun is in the plural, as far as its ending tells."""
    return _PLURAL.search(word) is not None
