"""Sentences that were cut after an abbreviation, put together again.

Belongs here: the abbreviations of a language after which a sentence goes on. Finding the ends of sentences is
pysbd's, whose rules know few of them outside English.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

# words of which each ends in a point within sentences more often than at their end
_WORDS: Final = {
    "de": "Abb Abs Abt Anm Art Bd Co Dipl Dr Fr Gem Hl Hr Hrn Ing Jh Kap Mag Mio Mrd Nr Prof St Str Tab Tsd "
    "Vgl bzw ca evtl exkl geb gem gest ggf h hl inkl rd s sog u v vgl z zzgl",
    "fr": "Cf Cie Dr Fig M MM Me Mgr Mlle Mme Pr Prof St Ste Vve apr art av bd boul cap cf ch chap col dép "
    "env ex fig gén hab lt no nos p pp rép s t vol éd",
    "es": "Arq Art Avda Cap Cf Cnel D Dr Dra Dña EE Fig Fr Gral Ing Lic Mons Prof Profa Sr Sra Sres Srta Sta "
    "Sto Ud Uds Vd Vds a aprox art avda c cap cf cía d ed ej fig núm p pp pág págs s tel vol vs",
}
_INITIAL: Final = r"(?<![^\W\d_])[A-ZÀ-ÖØ-Þ]"  # also after a hyphen or another initial, as in J.-P.
_LETTER: Final = r"[\u0621-\u064a]"


def _at_end(*expressions: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(expressions)})\.\s*\Z")


_OPEN_ENDED: Final[Mapping[str, re.Pattern[str]]] = {
    **{language: _at_end(rf"(?<![\w.])(?:{words.replace(' ', '|')})", _INITIAL) for language, words in _WORDS.items()},
    # one letter: a title, a page, an initial, B.C.; an era's sign after its year may end a sentence
    "ar": _at_end(rf"(?<!{_LETTER})(?![مه]){_LETTER}", rf"(?<!{_LETTER})(?<!\d)(?<!\d )[مه]"),
    # a Chinese sentence ends in 。: a point after a Latin letter belongs to a name
    "zh": _at_end("[A-Za-z]"),
}
# a day or a century before what it is of
_NUMBER: Final = re.compile(r"(?<!\d)\d{1,2}\.\s*\Z")
_NUMBERED: Final = re.compile(
    r"(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    r"|Jahrhunderts?|Jhd?)\b"
)


def rejoined(pieces: Sequence[str], language: str) -> list[str]:
    """Sentences with what was cut after an abbreviation put together.

    Args:
        pieces: of one line, with the white space between them at their ends.
        language: ISO 639-1 code; where nothing is known of it the pieces stay as they are.
    """
    open_ended = _OPEN_ENDED.get(language)
    if open_ended is None:
        return list(pieces)
    whole: list[str] = []
    for piece in pieces:
        if whole and (open_ended.search(whole[-1]) or _is_cut(whole[-1], piece)):
            whole[-1] += piece
        else:
            whole.append(piece)
    return whole


def _is_cut(left: str, right: str) -> bool:
    """Whether the piece after a point goes on with the sentence: by a small letter, a sign, or a month."""
    if _NUMBER.search(left) and _NUMBERED.match(right):
        return True
    return left.rstrip().endswith(".") and (right[:1].islower() or right[:1] in tuple("-–,;:"))
