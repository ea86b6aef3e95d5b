"""The licences of models that measures use by name, as their makers state them.

Belongs here: what docs/sources.md says of models; a test compares the two. A model without a known licence, a
judge and a model of the user's own are not in it.
"""

from collections.abc import Mapping
from typing import Final

LICENCES: Final[Mapping[str, str]] = {
    "all-MiniLM-L6-v2": "Apache-2.0",
    "JungleLee/bert-toxic-comment-classification": "AFL-3.0",
    "lxyuan/distilbert-base-multilingual-cased-sentiments-student": "Apache-2.0",
    "sasha/regardv3": "CC-BY-4.0",
    "unitary/toxic-bert": "Apache-2.0",
}
