"""Whether a response was cut off before its end: the status that its generation gave it."""

from python_assets.extract.extractor import extractor


@extractor(
    "truncated",
    kind="binary",
    unit="share",
    scale=(0.0, 1.0),
    direction="higher_worse",
    languages=(),
    reads="status",
    version=lambda: "status 1",
    source="Plumbline",
)
def truncated(status: str) -> float:
    """1 for a response with status truncated, else 0."""
    return float(status == "truncated")
