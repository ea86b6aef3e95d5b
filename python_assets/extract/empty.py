"""Whether a response holds nothing but blanks: the status that its generation gave it."""

from python_assets.extract.extractor import extractor


@extractor(
    "empty",
    kind="binary",
    unit="share",
    scale=(0.0, 1.0),
    direction="higher_worse",
    languages=(),
    reads="status",
    version=lambda: "status 1",
    source="Plumbline",
)
def empty(status: str) -> float:
    """1 for a response with status empty, else 0."""
    return float(status == "empty")
