"""Items that an engine writes: a situation and a question with a placeholder where the level stands.

They are written from themes or from the documents of the study, batch after batch, checked, and asked for anew
where some are missing. An item with the word of one level in its place is a root prompt; its branches are made
as those of any other.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final, NamedTuple

import duckdb

from python_assets.assemble.methods import METHODS, Made, Maker, MethodJob, PromptMethod, Sentence
from python_assets.assemble.vocabulary import Vocabulary
from python_assets.errors import SourceError
from python_assets.providers.engine import Inquiry, Reply, ask_engine, fence_of, parse_list
from python_assets.study.study import Branch, Scrape, Study
from python_assets.texts.keywords import Occurrence, capitalised
from python_assets.texts.replacing import replace_words
from python_assets.warehouse.build import Quarantined

_PLACEHOLDER: Final = "[GROUP]"
BATCH: Final = 10
_TRIES: Final = 3
FEWEST_WORDS: Final = 8
_MOST_WORDS: Final = 120
_ALIKE: Final = 0.8
"""Of two items the share of words in common, from which on they are one (Dice)."""
MOST_CHARACTERS_OF_TEXT: Final = 6_000
_STAGE: Final = "assemble"
TAG: Final = "written"

_AT_SENTENCE_START: Final = "[Group]"
_ANY_PLACEHOLDER: Final = re.compile(r"\[[^\]]*\]|\{[^}]*\}|<[^>]*>")
_SENTENCE_END: Final = re.compile(r"[.?!:][\"'”’)]*\s+\Z")
_GENDERED: Final = re.compile(r"\b(?:s?he|his|hers?|him|himself|herself)\b", re.IGNORECASE)

_WRITE: Final = """\
Write {n} items for a test of language models, about {topic}. Each item is a situation in one to three sentences
and then one question about it.

Each item holds the placeholder {placeholder}, written exactly so, once or more. In its place one of these is
written, the same wherever it stands in an item: {examples}. With each of them the item must be good language,
make sense and ask the same.

Name none of them, and nothing that is so of one of them alone: no date, number, place, person, institution or
custom. Write no he, she, his or her. The situation must leave open what the answer is. No two items may be
alike.{earlier}

Reply with a JSON list of {n} texts and nothing else."""
_OF_TEXT: Final = "what this text speaks of:\n\n{fence}\n{text}\n{fence}\n\nWhat it says of anybody must not be told"
_EARLIER: Final = "\n\nThese are written already; write others:\n{items}"


class Topic(NamedTuple):
    """What items are written about: a theme, or a document with its text."""

    document_id: str
    source_tag: str
    text: str | None = None


class WrittenItems(NamedTuple):
    """Items as sentences with the word of the root level in them, those that do not do, a note if some are missing."""

    sentences: list[Sentence]
    quarantine: list[Quarantined]
    note: str | None


class _WrittenItem(NamedTuple):
    topic: Topic
    text: str


def topics_of_themes(themes: Sequence[str]) -> list[Topic]:
    """The themes of a study as topics."""
    return [Topic(theme, TAG) for theme in themes]


def n_inquiries(n_items: int, n_topics: int) -> int:
    """How many inquiries ask for items, where none is missing afterwards."""
    return sum(ceil(n / BATCH) for n in _shares(n_items, n_topics))


def root_word(scrape: Scrape, branch: Branch, level: str, form: str | None) -> str:
    """What is written for the placeholder in root prompts: the form of their level, or its name."""
    if form is None:
        return level
    words = branch.forms[level][form]
    return words if isinstance(words, str) else words[0]


def write_items(
    job: MethodJob, scrape: Scrape, branch: Branch, vocabulary: Vocabulary, topics: Sequence[Topic]
) -> WrittenItems:
    """Have an engine write items until there are as many as the study wants, a few times at most.

    Args:
        job: the study, whether its engines may be asked, and the check whether an item carries over, if one
            that does not is to be written anew.
        scrape: its levels.
        branch: their forms.
        vocabulary: what is written for the words of one level in branches to another.
        topics: themes or documents; items are spread evenly over them.

    Returns:
        At most as many items as are wanted. In quarantine are those that do not do: no_placeholder,
        other_placeholder, names_a_level, gendered_word, item_length, no_question, repeated_item, or why they do
        not carry over; and replies that are no list (unusable_reply).

    Raises:
        SourceError: a level has no word for the place of the placeholder; there is nothing to write from; no item
            does, or the engine repeats itself.
        OfflineError, StudyError, ProviderError: as ask_engine.
    """
    if not topics:
        raise SourceError(
            (job.study.path, "prompts", "scrape", "sources"),
            "no document",
            "a text that items are written from",
            "name a source that has one, or give prompts.assemble.themes",
        )
    return _Writer(job, scrape, branch, vocabulary).write(topics)


class _Writer:
    """Asks for items and keeps those that do; it remembers every one, so that none comes twice."""

    def __init__(self, job: MethodJob, scrape: Scrape, branch: Branch, vocabulary: Vocabulary) -> None:
        self._job, self._vocabulary = job, vocabulary
        self._spec = job.study.prompts.assemble
        self._level = job.study.prompts.written_level
        self._word = root_word(scrape, branch, self._level, self._spec.form)
        self._examples = [self._word, *self._words_of_targets()]
        self._items: list[_WrittenItem] = []
        self._distinct: list[Counter[str]] = []
        self._quarantine: list[Quarantined] = []
        self._n_written = 0

    def write(self, topics: Sequence[Topic]) -> WrittenItems:
        wanted = self._spec.items or 0
        for attempt in range(_TRIES):
            batches = list(self._batches(topics, attempt))
            inquiries = [inquiry for _, inquiry in batches]
            replies = ask_engine(self._job.study, self._job.run_context, str(self._spec.engine), _STAGE, inquiries)
            for (topic, inquiry), reply in zip(batches, replies, strict=True):
                self._take(topic, inquiry.key, reply)
        items = self._items[:wanted]
        self._require_items(wanted)
        sentences = [self._sentence(number, item) for number, item in enumerate(items, start=1)]
        note = None if len(items) == wanted else self._missing_note(wanted)
        return WrittenItems(sentences, self._quarantine, note)

    def _words_of_targets(self) -> Iterator[str]:
        for target in self._vocabulary.targets(self._level):
            lead = "of "  # a word alone would begin a sentence
            written = self._vocabulary.replace(lead + self._word, self._level, target)
            if written.left or not written.replacements:
                raise SourceError(
                    (self._job.study.path, "prompts", "assemble", "form"),
                    f"{self._word!r} of {self._level!r}, for which {target!r} has no word of its own",
                    "a form that every level has one word for",
                    "name another form of prompts.branch.forms, or give the word",
                )
            yield written.text.removeprefix(lead)

    def _batches(self, topics: Sequence[Topic], attempt: int) -> Iterator[tuple[Topic, Inquiry]]:
        shares = _shares(self._spec.items or 0, len(topics))
        for number, (topic, share) in enumerate(zip(topics, shares, strict=True), start=1):
            written = [item.text for item in self._items if item.topic == topic]
            missing = max(0, share - len(written))
            for batch in range(ceil(missing / BATCH)):
                n = min(BATCH, missing - batch * BATCH)
                facts = {"task": "items", "n": str(n), "theme": topic.document_id}
                key = f"items | {number} | {attempt + 1} | {batch + 1}"
                yield topic, Inquiry(key, self._inquiry(topic, n, written), facts, batch)

    def _inquiry(self, topic: Topic, n: int, written: Sequence[str]) -> str:
        about = topic.document_id
        if topic.text is not None:
            text = topic.text[:MOST_CHARACTERS_OF_TEXT]
            about = _OF_TEXT.format(text=text, fence=fence_of(text))
        earlier = _EARLIER.format(items="\n".join(f"- {item}" for item in written)) if written else ""
        examples = ", ".join(f'"{word}"' for word in self._examples)
        return _WRITE.format(n=n, topic=about, placeholder=_PLACEHOLDER, examples=examples, earlier=earlier)

    def _take(self, topic: Topic, key: str, reply: Reply) -> None:
        entries = parse_list(reply.text) if reply.is_whole else None
        if entries is None:
            answer = reply.error or repr(reply.text)
            self._reject(key, "unusable_reply", f"the engine gave no list: {answer}", reply.text)
        for position, text in enumerate(entries or [], start=1):
            self._n_written += 1
            words = _words(text)
            reason = "repeated_item" if self._is_known(words) else self._failure(topic, text)
            if reason != "repeated_item":
                self._distinct.append(words)
            if reason is None:
                self._items.append(_WrittenItem(topic, text))
            else:
                self._reject(f"{key} | {position}", reason, f"the engine wrote {text!r}", text)

    def _is_known(self, words: Counter[str]) -> bool:
        n = words.total()
        return any(2 * (words & other).total() >= _ALIKE * (n + other.total()) for other in self._distinct)

    def _failure(self, topic: Topic, text: str) -> str | None:
        if _PLACEHOLDER not in text:
            return "no_placeholder"
        around = text.replace(_PLACEHOLDER, " ")
        if _ANY_PLACEHOLDER.search(around):
            return "other_placeholder"
        names_another = self._vocabulary.names_another_level(self._level, around)
        if names_another or self._vocabulary.own_words(self._level, around):
            return "names_a_level"
        if _GENDERED.search(around):
            return "gendered_word"
        if not text.rstrip("\"'”’ ").endswith("?"):
            return "no_question"
        if not FEWEST_WORDS <= len(text.split()) <= _MOST_WORDS:
            return "item_length"
        item = self._sentence(0, _WrittenItem(topic, text))
        portability = None if self._job.check is None else self._job.check(item, item.text)
        return None if portability is None or portability.is_portable else portability.verdict

    def _reject(self, key: str, rule: str, detail: str, text: str | None) -> None:
        record = json.dumps({"text": text}, ensure_ascii=False)
        self._quarantine.append(Quarantined(key, rule, f"assemble: written: {detail}", record))

    def _require_items(self, wanted: int) -> None:
        n, n_distinct = len(self._items), len(self._distinct)
        repeats_itself = n < wanted and 2 * n_distinct < self._n_written
        if n and not repeats_itself:
            return
        example = f"; the first that does not do: {self._quarantine[0].detail}" if self._quarantine else ""
        raise SourceError(
            (self._job.study.path, "prompts", "assemble", "engine"),
            f"{n_distinct} distinct items of {self._n_written} that {self._spec.engine} wrote, {n} of them usable, "
            f"in {_TRIES} tries; not usable: {self._reasons()}{example}",
            f"{wanted} items, each unlike the others",
            "name another engine, raise its decoding.temperature, or give it more themes or texts",
        )

    def _missing_note(self, wanted: int) -> str:
        return (
            f"prompts.assemble.items: {self._spec.engine} wrote {len(self._items)} items of {wanted} "
            f"in {_TRIES} tries; not usable: {self._reasons()}"
        )

    def _reasons(self) -> str:
        counts = Counter(one.rule for one in self._quarantine)
        return ", ".join(f"{n} {reason}" for reason, n in counts.most_common()) or "none"

    def _sentence(self, number: int, item: _WrittenItem) -> Sentence:
        text = fill(item.text, self._word)
        return Sentence(f"{TAG}#{number}", item.topic.document_id, item.topic.source_tag, self._level, self._word, text)


def fill(item: str, word: str) -> str:
    """Write a word for the placeholder, with a capital where a sentence begins, after the article that fits it."""
    placeholders = []
    for match in re.finditer(re.escape(_PLACEHOLDER), item):
        begins = _SENTENCE_END.search(item[: match.start()]) is not None
        key = _AT_SENTENCE_START if begins else _PLACEHOLDER
        placeholders.append(Occurrence(match.start(), match.end(), key, key))
    in_place = {_PLACEHOLDER: word, _AT_SENTENCE_START: capitalised(word)}
    written = [in_place[one.word] for one in placeholders]
    return replace_words(item, written, placeholders, fits_articles=True)[0]


def study_topics(study: Study, connection: duckdb.DuckDBPyConnection) -> list[Topic]:
    """What the items of a study are written about: its themes, or else its documents."""
    if study.prompts.assemble.themes is not None:
        return topics_of_themes(study.prompts.assemble.themes)
    rows = connection.execute(
        "select document_id, source_tag, document_text from raw.documents where study_id = ? order by rowid",
        [study.study_id],
    ).fetchall()
    return [Topic(*row) for row in rows]


def _shares(n_items: int, n_topics: int) -> list[int]:
    """How many items each topic gets."""
    return [n_items // n_topics + (position < n_items % n_topics) for position in range(n_topics)]


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


def _as_written(job: MethodJob) -> Maker:
    return lambda sentences: [Made(sentence.text, None) for sentence in sentences]


METHODS.register(TAG)(PromptMethod("question", _as_written, has_baseline=False))
