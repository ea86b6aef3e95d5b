"""The third person pronouns of a level, as a study file writes them: she/her/her/hers/herself."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

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


_FORMS: Final = "|".join(f"{form}|{form.capitalize()}" for form in Pronouns._fields)
SLOT: Final = re.compile(rf"\{{(\w+(?:\.(?:{_FORMS}))?)\}}")
"""A slot of a template: a factor, or a pronoun of its level as in {gender.possessive}."""


def pronoun_slots(factor: str, by_level: Mapping[str, str], level: str | None = None) -> dict[str, str]:
    """The slots of a factor's pronouns, each with what stands for it.

    Args:
        factor: its name.
        by_level: the pronouns of its levels as the study file writes them.
        level: of which; the first that has some where it is not named.

    Returns:
        factor.subject and so on, and factor.Subject with a capital; none where the level has no pronouns.
    """
    written = by_level.get(level, "") if level is not None else next(iter(by_level.values()), "")
    if not written:
        return {}
    forms = Pronouns.read(written)._asdict()
    small = {f"{factor}.{form}": word for form, word in forms.items()}
    return small | {f"{factor}.{form.capitalize()}": word.capitalize() for form, word in forms.items()}
