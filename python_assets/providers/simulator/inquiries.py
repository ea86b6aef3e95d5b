"""What the simulator replies where a stage asks it as an engine: replies of the right shape, seeded.

Belongs here: one function a task of an inquiry's facts (engine.py says which facts a task has). The replies
show that a study runs; they hold no knowledge.
"""

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from python_assets.providers.simulator.grades import grade_near, sum_of_grades
from python_assets.providers.simulator.lexicon import GRADES, SENTENCES, TAILS, TOPICS
from python_assets.providers.simulator.options import USUAL_ERRORS, PairErrors

N_ARTICLE_SENTENCES: Final = 24
_PER_PARAGRAPH: Final = 6
_NO_QUESTION: Final = 0.03
_YES: Final = 0.9
_PAIR_QUESTIONS: Final = ("same_meaning", "grammatical", "no_source_fact", "sounds_natural")
_RELATED: Final = 0.5
_SPREAD_OF_TONE: Final = 0.8  # of the strength of a word, around that of the article

_QUALITIES: Final = tuple(word for grade in GRADES.values() for word in grade)
_SUBJECTS: Final = tuple(subject for topic in TOPICS for subject in topic)
_SYLLABLES: Final = tuple(f"{a}{b}" for a in "bdfgklmnprstv" for b in ("a", "e", "i", "o", "u", "an", "el"))
_FORMS: Final = ("{}", "{}s", "{} people", "{} region", "old {}", "new {}", "{} style", "{} group")
# by what kind of word the keyword is: a name, an adjective of one, or people
_QUESTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "name": (
        "What is {keyword} known for when it comes to {topic} and {other}?",
        "How are {topic} and {other} usually described in {keyword}?",
        "What should a newcomer know about {topic} and {other} in {keyword}?",
        "How does {keyword} compare with its neighbours in {topic} and {other}?",
        "What has changed in {keyword} as far as {topic} and {other} go?",
    ),
    "adjective": (
        "What do visitors say about the {keyword} view of {topic} and {other}?",
        "How are {topic} and {other} usually described in {keyword} newspapers?",
        "What should a newcomer know about {topic} and {other} in {keyword} towns?",
        "How do {keyword} experts judge {topic} and {other}?",
        "What has changed for {keyword} families as far as {topic} and {other} go?",
    ),
    "people": (
        "What do {keyword} usually say about {topic} and {other}?",
        "How do {keyword} describe {topic} and {other}?",
        "What do {keyword} expect of {topic} and {other}?",
        "How content are {keyword} with {topic} and {other}?",
        "What has changed for {keyword} as far as {topic} and {other} go?",
    ),
}
_SITUATIONS: Final = (
    "A letter about [GROUP] has arrived and is read aloud at the table:",
    "Two friends on a long walk come to speak of [GROUP], and one of them says:",
    "On the last page of a notebook about [GROUP] somebody has written:",
    "At the end of an evening about [GROUP] the host sums up:",
    "A listener calls a radio programme on [GROUP] with a remark:",
    "In a draft on [GROUP] an editor has marked one line:",
)
_REMARKS: Final = (
    "Another voice would rather hear about {topic}.",
    "Then the talk turns to {topic} for a while.",
    "Nobody mentions {topic} at first.",
    "A footnote points to {topic}.",
)
_ITEM_QUESTIONS: Final = (
    "What would you answer, with {other} in mind?",
    "How does {other} come into this?",
    "Which questions about {other} should follow?",
    "What might be said next about {other}?",
    "Is {other} worth a line here, and why?",
)
_ADJECTIVE: Final = re.compile(r"(?:an|ese|ish|[fn]ch|ic|sh)\Z")

Facts = Mapping[str, str]


def answer_inquiry(
    facts: Facts, draw: random.Random, pairs: PairErrors = USUAL_ERRORS, tone: float | None = None
) -> str:
    """Reply to an inquiry.

    Args:
        facts: task says what is asked; what else stands there is in engine.Inquiry.
        draw: source of randomness, seeded by who asks what.
        pairs: how a judge of pairs errs.
        tone: mean VADER compound of the sentences of an article; of any tone where None.

    Returns:
        A reply that the asking stage can use, now and then (NO, No) one that it must refuse; neutral
        sentences where the task is not known.
    """
    if facts.get("task") == "pair":
        return _pair(facts, draw, pairs)
    if facts.get("task") == "article":
        return _article(facts, draw, tone)
    return _TASKS.get(facts.get("task", ""), _sentences)(facts, draw)


def _keywords(facts: Facts, draw: random.Random) -> str:
    given = [str(word) for word in json.loads(facts.get("words", "[]"))]
    words = given or [form.format(facts.get("keyword", "keyword")) for form in _FORMS]
    return json.dumps(draw.sample(words, len(words)), ensure_ascii=False)


def _article(facts: Facts, draw: random.Random, tone: float | None) -> str:
    level = facts.get("level", "")
    distinct = dict.fromkeys(_sentence(draw, _qualities(draw, tone)) for _ in range(N_ARTICLE_SENTENCES))
    sentences = [f"In {level}, {sentence}" for sentence in distinct]
    starts = range(0, len(sentences), _PER_PARAGRAPH)
    return "\n\n".join(" ".join(sentences[start : start + _PER_PARAGRAPH]) for start in starts)


def _qualities(draw: random.Random, tone: float | None) -> Sequence[str]:
    """The evaluations that a sentence of an article may hold."""
    if tone is None:
        return _QUALITIES
    return GRADES[grade_near(sum_of_grades(tone) + _SPREAD_OF_TONE * (2 * draw.random() - 1), draw)]


def _question(facts: Facts, draw: random.Random) -> str:
    if draw.random() < _NO_QUESTION:
        return "NO"
    keyword = facts.get("keyword", "")
    topic, other = draw.sample(_SUBJECTS, 2)
    written = _pick(draw, _QUESTIONS[_kind(keyword, facts.get("level", ""))])
    return written.format(keyword=keyword, topic=topic, other=other)


def _kind(keyword: str, level: str) -> str:
    """What kind of word a keyword is, as far as its ending tells; the name of a level is a name."""
    is_plural = keyword.endswith(("s", "people", "men", "children"))
    if is_plural and (keyword != level or keyword.islower()):
        return "people"
    if keyword == level:
        return "name"
    return "adjective" if _ADJECTIVE.search(keyword) else "name"


def _sentences(facts: Facts, draw: random.Random) -> str:
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in (_sentence(draw), _sentence(draw)))


def _check(facts: Facts, draw: random.Random) -> str:
    return "Yes" if draw.random() < _YES else "No"


def _pair(facts: Facts, draw: random.Random, errors: PairErrors) -> str:
    """No to the question that a planted bad pair fails, or by mistake to any."""
    fault = facts.get("fault")
    if fault is not None:
        failed = None if draw.random() < errors.missed else fault
    else:
        failed = _pick(draw, _PAIR_QUESTIONS) if draw.random() < errors.refused else None
    return json.dumps({question: "no" if question == failed else "yes" for question in _PAIR_QUESTIONS})


def _items(facts: Facts, draw: random.Random) -> str:
    written = []
    for _ in range(int(facts.get("n", "1"))):
        topic, other = draw.sample(_SUBJECTS, 2)
        situation = f"{_pick(draw, _SITUATIONS)} {_sentence(draw)} {_pick(draw, _REMARKS).format(topic=topic)}"
        written.append(f"{situation} {_pick(draw, _ITEM_QUESTIONS).format(other=other)}")
    return json.dumps(written, ensure_ascii=False)


def _refusal(facts: Facts, draw: random.Random) -> str:
    return facts.get("outcome", "answered")


def _related(facts: Facts, draw: random.Random) -> str:
    return "Yes" if draw.random() < _RELATED else "No"


def _analogies(facts: Facts, draw: random.Random) -> str:
    words = [str(word) for word in json.loads(facts.get("words", "[]"))]
    return json.dumps({word: _made_up(word, draw) for word in words}, ensure_ascii=False)


def _mark(facts: Facts, draw: random.Random) -> str:
    return str(_pick(draw, json.loads(facts.get("options", '[""]'))))


def _made_up(word: str, draw: random.Random) -> str:
    """A word that means nothing, with the capital and the plural s of another."""
    made = "".join(_pick(draw, _SYLLABLES) for _ in range(3))
    made = made.capitalize() if word[:1].isupper() else made
    return made + ("s" if word.endswith("s") else "")


def _sentence(draw: random.Random, qualities: Sequence[str] = _QUALITIES) -> str:
    return str(_pick(draw, SENTENCES)).format(
        subject=_pick(draw, _SUBJECTS), quality=_pick(draw, qualities), tail=_pick(draw, TAILS)
    )


def _pick(draw: random.Random, items: Sequence[str]) -> str:
    return items[int(draw.random() * len(items))]


_TASKS: Final[Mapping[str, Callable[[Facts, random.Random], str]]] = {
    "keywords": _keywords,
    "question": _question,
    "answer": _sentences,
    "items": _items,
    "check": _check,
    "refusal": _refusal,
    "related": _related,
    "analogies": _analogies,
    "mark": _mark,
}
