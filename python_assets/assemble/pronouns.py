"""Third person pronouns that refer to the level of an English prompt, and those of another level in their place.

Which form a word is its place tells: her work, saw her; his work, it was his. A verb agrees with they.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from python_assets.assemble.tagged_words import Word, tagged_words
from python_assets.study.pronouns import Pronouns
from python_assets.texts.keywords import Occurrence, capitalised
from python_assets.texts.plurals import is_plural

_OF_ONE: Final = frozenset({"he", "him", "his", "himself", "she", "her", "hers", "herself"})
ANY_PRONOUN: Final = re.compile(rf"\b(?:{'|'.join(sorted(_OF_ONE))})\b", re.IGNORECASE)
"""A pronoun of the two sets that English texts are full of."""

_THEY: Final = "they"
_OF_NOUN: Final = ("CD", "FW", "JJ", "NN", "PRP$", "VBG", "VBN")
# who may be meant by a pronoun as well as whom the level names
_PERSONS: Final = frozenset(
    {"aunt", "baby", "boss", "boy", "boyfriend", "brother", "child", "classmate", "client", "colleague", "companion"}
    | {
        "coworker",
        "cousin",
        "customer",
        "daughter",
        "doctor",
        "driver",
        "employee",
        "employer",
        "everybody",
        "everyone",
    }
    | {"father", "friend", "gentleman", "girl", "girlfriend", "grandfather", "grandmother", "granddaughter", "grandson"}
    | {"guest", "guy", "husband", "infant", "judge", "kid", "king", "lady", "landlord", "leader", "man", "manager"}
    | {
        "mentor",
        "mom",
        "mother",
        "mum",
        "dad",
        "neighbor",
        "neighbour",
        "nephew",
        "niece",
        "nobody",
        "nurse",
        "officer",
    }
    | {"owner", "parent", "partner", "passenger", "patient", "person", "prince", "princess", "professor", "queen"}
    | {"relative", "roommate", "sister", "somebody", "someone", "son", "spouse", "stranger", "student", "teacher"}
    | {"teenager", "therapist", "toddler", "uncle", "victim", "visitor", "wife", "woman", "worker"}
)
_TO_BE: Final = {"is": "are", "was": "were", "has": "have", "does": "do", "isn't": "aren't", "wasn't": "weren't"} | {
    "hasn't": "haven't",
    "doesn't": "don't",
}
_NOUNS: Final = ("NN", "PRP", "W")
_FORMS: Final = Pronouns._fields
_QUOTE: Final = re.compile(r"[\"“”]")
# a pronoun there means who is named behind: when she was tired, the woman
_CATAPHORA: Final = re.compile(
    r"(?:after|although|as|before|if|once|since|though|until|when|while)\b[^,]*,", re.IGNORECASE
)


class WrittenPronouns(NamedTuple):
    """A text with the pronouns of another level, and what was written for which word."""

    text: str
    replacements: dict[str, str]


class _Found(NamedTuple):
    start: int
    end: int
    form: str | None


def unclear_pronoun(text: str, own: Sequence[Occurrence], source: Pronouns, others: Collection[Pronouns]) -> str | None:
    """The first pronoun of a set of which it is not clear that it refers to the level, or which form it is.

    Args:
        text: in English.
        own: where words of its level stand, in order.
        source: the pronouns of its level.
        others: those of the other levels.

    Returns:
        With the person before it who could be meant, where there is one. It is unclear, too, where the level
        is named in the plural alone, where it is named after the pronoun, or one of the two alone is in what
        somebody says, and where the text has pronouns of another set: somebody else's.
    """
    pronouns = list(_found(text, source))
    if not pronouns:
        # in a branch he could mean the level: ask Anne whether he
        theirs = {form for other in others if other.subject != _THEY for form in (other.subject, other.possessive)}
        return _word_behind(text, own, theirs - {*source}) or _of_nobody(text, own)
    words = tagged_words(text)
    one = next((word for word in own if not is_plural(word.text)), None)
    unfit = next((one for one in pronouns if one.form is None or _is_apart(text, own, one.start)), None)
    if one is None or unfit is not None:
        return text[pronouns[0].start : pronouns[0].end] if unfit is None else text[unfit.start : unfit.end]
    theirs = {form.lower() for other in others if other.subject != _THEY for form in other} - {*source}
    strange = re.search(rf"\b(?:{'|'.join(sorted(theirs))})\b", text, re.IGNORECASE) if theirs else None
    if strange is not None:
        return strange.group()
    if another := next((form for form in pronouns if _is_another(words, one, form)), None):
        return text[another.start : another.end]
    last = pronouns[-1]
    persons = (word for word in words if word.end <= last.start and _is_person(word, source))
    named = next((word for word in persons if not _is_own(word, own)), None)
    return None if named is None else f"{named.text.strip('.,;:')} {text[last.start : last.end]}"


def _is_another(words: Sequence[Word], named: Occurrence, found: _Found) -> bool:
    """Whether a pronoun is hardly its subject, which would be himself: the man told him, a man who ran before him."""
    between = [word for word in words if named.end < word.end <= found.start and word.text.lower() != "who"]
    if found.form != "object" or not between or any(word.tag.startswith(_NOUNS) for word in between):
        return False
    return between[-1].tag.startswith("VB") or (
        between[-1].tag in {"IN", "TO"} and between[-2:][0].tag.startswith("VB")
    )


def pronoun_left(text: str, own: Sequence[Occurrence]) -> str | None:
    """A he or she behind the singular of a level that has no pronouns: if the lawyer is late, she.

    Args:
        text: in English.
        own: where words of its level stand, in order.

    Returns:
        Behind a plural, too, where no other person is named: the lawyers told him.
    """
    return _word_behind(text, own, _OF_ONE) or _of_nobody(text, own)


def _of_nobody(text: str, own: Sequence[Occurrence]) -> str | None:
    """A pronoun of one person where the level is named in the plural, and nobody else is before it."""
    pronoun = ANY_PRONOUN.search(text)
    if pronoun is None or not own or not all(is_plural(word.text) for word in own):
        return None
    before = (word for word in tagged_words(text) if word.end <= pronoun.start() and not _is_own(word, own))
    return None if any(_may_be_meant(word) for word in before) else pronoun.group()


def _word_behind(text: str, own: Sequence[Occurrence], words: Collection[str]) -> str | None:
    """The first of some pronouns behind a singular of the level, in what the same person says."""
    singular = [word for word in own if not is_plural(word.text)]
    if not singular or not words:
        return None
    matches = re.finditer(rf"(?<![\w’'-])(?:{'|'.join(sorted(words))})(?![\w-])", text, re.IGNORECASE)
    behind = (one for one in matches if one.start() > singular[0].end and not _is_apart(text, singular, one.start()))
    return next((one.group() for one in behind), None)


def _is_apart(text: str, own: Sequence[Occurrence], at: int) -> bool:
    """Whether no word of the level before a place is in the same speech: "I see, Tom", he said."""
    clause = _CATAPHORA.match(text)
    is_before = clause is not None and at < clause.end()
    depth = [len(_QUOTE.findall(text, 0, position)) % 2 for position in (at, *(one.start for one in own))]
    named = (one for one, quoted in zip(own, depth[1:], strict=True) if quoted == depth[0])
    return not any(one.start < at or is_before for one in named)


def with_pronouns(text: str, source: Pronouns, target: Pronouns) -> WrittenPronouns:
    """Write the pronouns of one level for those of another.

    Args:
        text: in English; every pronoun of the source's set refers to its level.
        source: the pronouns that stand there.
        target: those that are written.

    Returns:
        Capitals kept; the verb behind a subject agrees with they, and no longer does where she or he is
        written for it. A word whose form is not told by its place stays.
    """
    if source == target:
        return WrittenPronouns(text, {})
    words = tagged_words(text)
    written = []
    for one in _found(text, source):
        if one.form is not None:
            new = getattr(target, one.form)
            old = text[one.start : one.end]
            written.append((one.start, one.end, capitalised(new) if old[0].isupper() else new))
            if one.form == "subject" and (source.subject == _THEY) != (target.subject == _THEY):
                written += _agreeing(text, words, one.end, to_they=target.subject == _THEY)
    pieces, replacements, done = [], {}, 0
    for start, end, new in sorted(written):
        pieces += [text[done:start], new]
        replacements[text[start:end]] = new
        done = end
    return WrittenPronouns(
        "".join([*pieces, text[done:]]), {old: new for old, new in replacements.items() if old != new}
    )


def _found(text: str, pronouns: Pronouns) -> Iterator[_Found]:
    words = tagged_words(text)
    spelled = "|".join(re.escape(form) for form in sorted({*pronouns}, key=len, reverse=True))
    for match in re.finditer(rf"(?<![\w’'-])(?:{spelled})(?![\w-])", text, re.IGNORECASE):
        of = [form for form in _FORMS if getattr(pronouns, form) == match.group().lower()]
        yield _Found(match.start(), match.end(), _form(text, words, match.end(), of))


def _form(text: str, words: Sequence[Word], end: int, of: Sequence[str]) -> str | None:
    """The form that a pronoun is by the word behind it; None where it is the last or the tag does not tell."""
    if len(of) == 1:
        return of[0]
    behind = next((word for word in words if word.end > end), None)
    is_next = behind is not None and text[end : end + 1] == " "
    if behind is None and not text[end:].strip():
        return None
    is_of_noun = is_next and behind is not None and behind.tag.startswith(_OF_NOUN)
    if is_next and behind is not None and behind.tag in {"VB", "VBP", "RB", "RBR"}:
        return "possessive" if behind.tag.startswith("VB") and not behind.text.endswith("ly") else None
    wanted = "possessive" if is_of_noun else next((form for form in of if form != "possessive"), None)
    return wanted if wanted in of else None


def _agreeing(text: str, words: Sequence[Word], end: int, *, to_they: bool) -> Iterator[tuple[int, int, str]]:
    """The verb behind a subject, and those joined to it: they work and live."""
    behind = [word for word in words if word.end > end]
    may_be_verb = True
    for word in behind:
        bare = word.text.strip(",.;:!?")
        # the tagger takes the works of "she works at" for a noun
        if may_be_verb and word.tag in ({"VBZ", "VBD", "NNS"} if to_they else {"VBP", "VBD", "VB"}):
            start = word.end - len(word.text)
            new = _plural_verb(bare) if to_they else _singular_verb(bare)
            if new != bare and (word.tag != "VBD" or bare in {"was", "were", "wasn't", "weren't"}):
                yield start, start + len(bare), new
            may_be_verb = False
        elif word.tag == "CC":
            may_be_verb = True
        elif not word.tag.startswith("RB") and word.tag != "CC":
            may_be_verb = False
            if word.tag in {"PRP", "WDT", "WP"}:
                return


def _plural_verb(verb: str) -> str:
    if verb in _TO_BE:
        return _TO_BE[verb]
    if re.search(r"[^aeiou]ies\Z", verb):
        return f"{verb[:-3]}y"
    if re.search(r"(?:ss|sh|ch|x|z|o)es\Z", verb):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def _singular_verb(verb: str) -> str:
    backwards = {plural: singular for singular, plural in _TO_BE.items()}
    if verb in backwards:
        return backwards[verb]
    if re.search(r"[^aeiou]y\Z", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if re.search(r"(?:s|sh|ch|x|z|o)\Z", verb) else f"{verb}s"


def _is_person(word: Word, source: Pronouns) -> bool:
    return _may_be_meant(word) or (source.subject == _THEY and word.tag in {"NNS", "NNPS"})


def _may_be_meant(word: Word) -> bool:
    bare = re.sub(r"(?:['’]s)?\W*$", "", word.text.lower())
    return bare in _PERSONS or (word.tag == "NN" and bare.endswith(("man", "woman", "ist")))


def _is_own(word: Word, own: Sequence[Occurrence]) -> bool:
    start = word.end - len(word.text)
    return any(one.start < word.end and start < one.end for one in own)
