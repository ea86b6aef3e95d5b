"""How much of a text is read by rules, lexicons and models."""

from typing import Final

# A response may hold 10 MB; what stands after this is not read by rules, lexicons and models.
MOST_CHARACTERS: Final = 100_000
