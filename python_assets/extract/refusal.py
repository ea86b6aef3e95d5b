"""Whether a response refuses to answer: the status that its generation gave it.

The rule on texts, which the generation applies, is python_assets/providers/refusal.py.
"""

from python_assets.extract.extractor import extractor


def _version() -> str:
    # the package of generate imports every provider, which resolving measures has no need of
    from python_assets.providers.refusal import REFUSAL_RULES

    return REFUSAL_RULES


@extractor(
    "refusal",
    kind="binary",
    unit="share",
    scale=(0.0, 1.0),
    direction="higher_worse",
    languages=("en",),
    reads="status",
    version=_version,
    source="Plumbline",
)
def refusal(status: str) -> float:
    """1 for a response with status refused, else 0."""
    return float(status == "refused")
