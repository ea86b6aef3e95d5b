"""Every source that a comment names is in docs: a page of the design, or a document of sources.md."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml

from python_assets.extract.licences import LICENCES
from python_assets.extract.scorer import scorers

ROOT = Path(__file__).resolve().parents[1]
DESIGN = ROOT / "docs" / "design"
PAGES = ("architecture", "inference", "metrics")
FOLDERS = ("bench", "dagster_project", "dbt_models", "docs", "expectations", "python_assets", "studies")
SUFFIXES = {".py", ".sql", ".yml", ".js", ".csv"}

ROWS = r"rows? (?:'[^']*'|of [^.;)]*|q\b|\d+(?:, \d+)*(?: and \d+)?)"
NUMBER = r"\d+(?:\.\d+)?"
PAGE = re.compile(rf"\b(\w+)\.md((?:,? (?:and )?(?:(?:section )?{NUMBER}(?![\w%])|{ROWS}))*)")
KIND = r"(?:appendix|section|figures?|tables?|equations?) "
SECTION = r"[A-D]\.\d|[1-9]\.\d"
DOCUMENT = re.compile(rf"\b(SAGED|[Mm]ulti-factor document|FAIR-SEA),? \(?((?=(?:{KIND}|{SECTION})).*)")
PLACE = re.compile(rf"\b({SECTION})\b|\b(figure|table|equation)s? (\d+(?:, \d+)*(?: and \d+)?)")
LAST = {
    "SAGED": {"figure": 39, "table": 8, "equation": 0},
    "multi-factor document": {"figure": 0, "table": 0, "equation": 4},
    "FAIR-SEA": {"figure": 0, "table": 0, "equation": 0},
}
ORIGIN = re.compile(
    r"(?:architecture|inference|metrics)\.md,? (?:section )?\d|SAGED|multi-factor document|FAIR-SEA"
    r"|[A-Z]\w+[^;\n]*\b(?:18|19|20)\d\d|https://"
)


def texts() -> list[tuple[str, str]]:
    """Path and text of every file that can name a source; markers of comments joined away at line ends."""
    folders = [ROOT / name for name in (*FOLDERS, "tests")]
    found = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in SUFFIXES)
    return [
        (str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
        for path in found
        if path != Path(__file__) and not {"target", "dbt_packages", "logs"} & set(path.parts)
    ]


TEXTS = texts()
SOURCES = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")


@cache
def text_of(page: str) -> str:
    return (DESIGN / f"{page}.md").read_text(encoding="utf-8")


def numbers_of(page: str) -> set[str]:
    return set(re.findall(rf"^#+ ({NUMBER}) \S", text_of(page), re.MULTILINE))


def cited_numbers(clause: str) -> list[str]:
    return re.findall(NUMBER, re.sub(ROWS, "", clause))


def sections_of(document: str) -> set[str]:
    """The numbers that docs/sources.md lists for a document; 'A.1 to A.3' means all three."""
    listed = re.search(rf"^- {document}: (.*?)(?=^- |^$)", SOURCES, re.MULTILINE | re.DOTALL)
    assert listed is not None, document
    spans = re.findall(r"\b([A-D])\.(\d) to [A-D]\.(\d)", listed[1])
    spanned = {f"{letter}.{n}" for letter, low, high in spans for n in range(int(low), int(high) + 1)}
    return spanned | set(re.findall(r"\b\d\.\d\b", listed[1]))


def place_problems(document: str, clause: str) -> list[str]:
    clause = re.split(r"[;\"\n]|\.\s|\)(?![,;])", re.sub(r"\([^()]*\)", "", clause))[0]
    problems = []
    for section, kind, listed in PLACE.findall(clause):
        if section and section not in sections_of(document):
            problems.append(f"{document} has no section {section}")
        past = [n for n in re.findall(r"\d+", listed) if not 1 <= int(n) <= LAST[document][kind]]
        problems += [f"{document} has no {kind} {n}" for n in past]
    return problems


def problems_of(text: str) -> list[str]:
    """What a text names and docs do not have."""
    problems = []
    for page, clause in PAGE.findall(text):
        if page in PAGES:
            absent = set(cited_numbers(clause)) - numbers_of(page)
            problems += [f"{page}.md has no section {number}" for number in sorted(absent)]
            rows = re.findall(r"row '([^']*)'", clause)
            problems += [f"{page}.md has no row '{row}'" for row in rows if f"| {row}" not in text_of(page)]
    for document, clause in DOCUMENT.findall(text):
        problems += place_problems(document[0].replace("M", "m") + document[1:], clause)
    return problems


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_the_design_is_there_and_has_numbered_headings(page):
    assert len(numbers_of(page)) > 5


def test_what_comments_name_is_in_the_design_or_listed_as_a_document():
    found = [f"{path}: {problem}" for path, text in TEXTS for problem in problems_of(text)]
    assert not found, "\n".join(found)


def test_every_source_of_the_code_says_where():
    """A page and its section, a document, an author with a year, or an address that anybody can open."""
    found = [
        f"{path}: Source: {said.strip()}"
        for path, text in TEXTS
        if not path.startswith("tests")
        for said in re.findall(r"\bSources?:\s*((?:.*\n?){2})", text)
        if not ORIGIN.match(said)
    ]
    assert not found, "\n".join(found)


def test_the_search_sees_most_sources():
    named = [page for _, text in TEXTS for page, clause in PAGE.findall(text) if page in PAGES and clause]
    assert len(named) > 80
    assert sum(len(DOCUMENT.findall(text)) for _, text in TEXTS) > 40


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Source: inference.md 2.2.", []),
        ("inference.md section 1, rows 4, 5 and 7.", []),
        ("inference.md section 1, row 3, and 2.4.", []),
        ("inference.md section 1, row 'groups in a row'.", ["inference.md has no row 'groups in a row'"]),
        ("inference.md 2.19.", ["inference.md has no section 2.19"]),
        ("metrics.md 4 and 6.9", ["metrics.md has no section 6.9"]),
        ("SAGED (3.2, C.4 and table 6), and any other", []),
        ("SAGED, appendix C.3 (prompt_template), section 2.4 (roles).", ["SAGED has no section 2.4"]),
        ("SAGED C.2, figures 25 and 46.", ["SAGED has no figure 46"]),
        ("multi-factor document, section 3.9, equation 3", ["multi-factor document has no section 3.9"]),
        ("under SAGED's rule < 0.8", []),
    ],
)
def test_a_mention_is_read(text, expected):
    assert problems_of(text) == expected


def test_the_licences_of_models_are_those_of_the_page():
    section = SOURCES.split("## Models")[1].split("\n## ")[0]
    rows = re.findall(r"^\| [^|]* \| (?:sentence-transformers/)?([\w./-]*\w)[^|]* \| ([\w.-]+)", section, re.M)
    listed = dict(rows[1:])  # the first is the head
    assert {model: licence for model, licence in listed.items() if licence != "unknown"} == LICENCES
    named = {model for name in scorers for model in scorers[name].parameters.get("model", ())}
    assert named and named <= set(listed)


def test_the_citation_is_of_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cited["cff-version"] == "1.2.0" and cited["type"] == "software"
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    assert cited["title"].lower() == project["name"] and cited["authors"] and cited["message"]
