"""Whether an English word begins with the sound of a vowel, as far as letters tell it: a town, an hour.

The patterns are read by Python and by DuckDB. What letters do not tell is left alone: NATO, a herb, a letter
by itself, other scripts than Latin.
"""

import re
from typing import Final

AS_LETTERS: Final = "^[A-Z][A-Z]+$"
# NATO is a word and FBI are letters; people differ on herb and hotel, and on 1800 in letters
UNTOLD: Final = "^(?:[^0-9]$|[FHLMNRSX][A-Z]+$|1[18][0-9]|(?i:herb|histor|hotel|y[^aeiou])|[^0-9A-Za-zÀ-ÖØ-öø-ÿœ])"
CONSONANT: Final = (
    "^(?:eu|ewe|once|one(?:$|s$|-|self)|ubi|ufo|uga|uk|unanim|uni[cfloqstv]|ura|uri|uru|us[aeu]|ut[aeio])"
)
VOWEL: Final = "^(?:[aeiouà-æè-ïò-öøù-üœ]|heir|honest|honou?r|hour|8|1[18](?:[^0-9]|$))"


def indefinite_article(word: str) -> str | None:
    """The article that fits a word.

    Args:
        word: in English, or the first of several.

    Returns:
        a or an; None where letters do not tell.
    """
    if re.match(UNTOLD, word):
        return None
    if re.match(AS_LETTERS, word):
        return "an" if word[0] in "AEIO" else "a"
    small = word.lower()
    return "an" if not re.match(CONSONANT, small) and re.match(VOWEL, small) else "a"
