"""Where the variance of answers comes from, a bar a measure, as the report shows it.

Belongs here: reading variance_components and what each source means in words.
"""

from typing import Final, NamedTuple

from python_assets.published.account import ABOUT_GROUPS
from python_assets.report.reader import Reader, Row
from python_assets.report.sentences import measure_name
from python_assets.report.text import words

MAX_BARS: Final = 12
_MEANINGS: Final[dict[str, str]] = {
    "group": "who or what is spoken of: what the study asks about",
    "root_prompt": "the wording: how the same is asked",
    "interaction": "what is of one prompt and one model alone",
    "repeat": "asking the same model the same again",
    "rest": "interactions and repeats, which single answers do not tell apart",
    "system": "who answers",
    "model": "which model answers",
    "system_prompt": "the role that the model plays",
}
_COMPONENTS: Final = f"""
    select *
    from variance_components
    where study_id = $study and share is not null and {ABOUT_GROUPS}
    order by measure_id, grouping_id, slice_id, position
"""


class VarianceBar(NamedTuple):
    """The sources of one measure by one grouping in one slice, each with its share and meaning."""

    measure: str
    grouping_id: str
    slice_id: str
    n_responses: int
    parts: list[Row]


class Variance(NamedTuple):
    """The bars that are drawn, how many there are, and every source in them with its place and meaning."""

    bars: list[VarianceBar]
    n_bars: int
    key: list[Row]


def variance_section(reader: Reader) -> Variance:
    """One bar a measure and grouping; declared measures come as their names sort.

    Args:
        reader: the study.
    """
    rows_by_bar: dict[tuple[str, str, str], list[Row]] = {}
    for row in reader.rows(_COMPONENTS):
        rows_by_bar.setdefault((row["measure_id"], row["grouping_id"], row["slice_id"]), []).append(row)
    sources = list(dict.fromkeys(row["source"] for rows in rows_by_bar.values() for row in rows))
    bars = [
        VarianceBar(
            measure_name(measure_id),
            grouping_id,
            slice_id,
            rows[0]["n_responses"],
            [{**row, "place": sources.index(row["source"]) + 1} for row in rows],
        )
        for (measure_id, grouping_id, slice_id), rows in rows_by_bar.items()
    ]
    key = [
        {"source": words(source), "place": at + 1, "meaning": _MEANINGS.get(source, "a factor of models")}
        for at, source in enumerate(sources)
    ]
    return Variance(bars[:MAX_BARS], len(bars), key)
