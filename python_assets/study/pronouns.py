"""The third person pronouns of a level, as a study file writes them: she/her/her/hers/herself."""

import re
from typing import NamedTuple

from python_assets.study.base import Unfit


class Pronouns(NamedTuple):
    """Subject (she), object (her), possessive (her work), possessive alone (hers) and reflexive (herself)."""

    subject: str
    object: str
    possessive: str
    possessive_alone: str
    reflexive: str

    @classmethod
    def read(cls, written: str) -> "Pronouns":
        """Read a set.

        Raises:
            Unfit: it is not five words parted by slashes.
        """
        forms = [form.strip().lower() for form in written.split("/")]
        if len(forms) != len(cls._fields) or not all(re.fullmatch(r"[^\W\d_]+", form) for form in forms):
            raise Unfit(
                f"five pronouns parted by slashes ({', '.join(name.replace('_', ' ') for name in cls._fields)}), "
                f"not {written!r}",
                "write them as in she/her/her/hers/herself",
            )
        return cls(*forms)
