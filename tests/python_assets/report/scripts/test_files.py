"""Tables of the page as files: rows as csv, a picture as png; and the figures that travel packed."""

import base64
import csv
import io
import struct

import pytest

from tests.python_assets.report.conftest import small_study
from tests.python_assets.report.test_result_cards import hypotheses

FINDINGS = small_study(is_simulated=True)
OF_STUDY = {name: FINDINGS[name] for name in ("summary_statistics", "contrasts", "findings", "systems", "measures")}
TWO_MEASURES = OF_STUDY | {
    name: [*FINDINGS[name], *(row | {"measure_id": "toxicity"} for row in FINDINGS[name])]
    for name in ("summary_statistics", "measures")
}


@pytest.fixture
def table_of(page):
    """A table of the report as csv, as the button would write it; parts of the study by name."""

    def read(selector, **replaced):
        opened = page("", **OF_STUDY | replaced)
        assert opened.run(f"document.querySelector('{selector} button.csv') !== null")
        return list(csv.reader(io.StringIO(opened.run(f"csvOf(document.querySelector('{selector}'))"))))

    return read


def test_a_figure_gives_its_groups_with_value_interval_and_difference(table_of):
    heads, *rows = table_of("#figure-1 table.rows")
    assert heads == [
        *(
            "concept",
            "mean",
            "mean with 95 % interval",
            "difference from rest",
            "difference from rest with 95 % interval",
        ),
        *("q", "verdict"),
    ]
    by_group = {row[0].split(" ")[0]: row for row in rows}
    assert set(by_group) == {"Ideraland", "Chad", "Brazil"}
    assert [float(by_group[group][1]) for group in ("Ideraland", "Chad", "Brazil")] == [0.1, 0.2, 0.3]


def test_what_a_spreadsheet_would_compute_is_a_text(page):
    opened = page("")
    fields = ["=1+1", "+0.275", "-0.3", "-cmd", "@a", 'say "x"']
    assert opened.run(f"{fields!r}.map(csvField).join('|')") == '"\'=1+1"|"0.275"|"-0.3"|"\'-cmd"|"\'@a"|"say ""x"""'


def test_the_matrix_gives_verdicts_by_model(table_of):
    heads, row = table_of("#findings table.verdicts", findings=hypotheses({}))
    assert heads == ["measure", "biased"]
    assert row == ["sentiment", "significant difference Russia -0.30"]


# width, height, and colours in a row of the middle of the picture that a table is drawn as
PICTURE = """
(async () => {
  const blob = await pngOf(document.querySelector('%s'));
  const drawn = await createImageBitmap(blob);
  const canvas = new OffscreenCanvas(drawn.width, drawn.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(drawn, 0, 0);
  const seen = new Set();
  const { data } = pen.getImageData(0, 0, drawn.width, drawn.height);
  for (let i = 0; i < data.length; i += 4) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]},${data[i + 3]}`);
  const head = new Uint8Array(await blob.arrayBuffer()).slice(0, 24);
  return { size: [drawn.width, drawn.height], colours: [...seen], file: btoa(String.fromCharCode(...head)) };
})()
"""


def test_a_figure_is_drawn_as_a_png_in_the_colours_of_the_page(page):
    opened = page("", **OF_STUDY)
    drawn = opened.run(PICTURE % "#figure-1 table.rows")
    assert struct.unpack(">4x4s", base64.b64decode(drawn["file"])[8:16])[0] == b"IHDR"
    box = opened.run("document.querySelector('#figure-1 .panel').getBoundingClientRect().toJSON()")
    width, height = drawn["size"]
    assert width >= 2 * box["width"]
    assert height >= 2 * box["height"]
    assert "255,255,255,255" in drawn["colours"]
    assert "29,39,51,255" in drawn["colours"], "the ink of dots and words"
    assert opened.complaints == []


def test_a_picture_says_what_it_is_of_and_that_it_is_simulated(page):
    opened = page("", **OF_STUDY)
    told = opened.run("framed(document.querySelector('#figure-1 table.rows')).textContent")
    assert "sentiment by concept" in told
    assert "study small" in told
    assert "Simulated responses" in told
    assert "csv" not in told


def test_other_figures_are_unpacked_when_they_are_looked_for_or_unfolded(page):
    opened = page("figure-2", **TWO_MEASURES)
    assert opened.run("document.querySelector('#other-figures').open")
    assert opened.run("document.querySelectorAll('#figure-2 button.png').length") == 1
    opened = page("", **TWO_MEASURES)
    assert opened.run("document.querySelector('#figure-2')") is None
    opened.run("document.querySelector('#other-figures').open = true; withFigures()")
    assert opened.run("document.querySelector('#figure-2 h3').textContent.includes('toxicity by concept')")
    assert opened.complaints == []
