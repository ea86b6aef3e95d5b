"""What the HTML report of a study says, held against the tables: lines by their keys, numbers as they are rounded."""

import base64
import gzip
import html
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb
import pandas as pd

from bench.one_truth.compared import Compared, Pair, compare, place, records
from bench.one_truth.detectable import DETECTABLE

_OF_VIEW: Final = ("slice_id", "system_id", "measure_id", "grouping_id")
# sheets of the workbook that the page carries: the view that each is of, and what names a row of it
SHEETS: Final = {
    "findings": ("v_findings", _OF_VIEW),
    "groups": ("v_differences", (*_OF_VIEW, "group_id", "category", "reference", "contrast")),
}
_NUMBER: Final = r"[−+-]?[\d,]*\.?\d+(?:e[−+-]?\d+)?"
_VALUE: Final = rf"({_NUMBER})(?: percentage points)? (?:lower|higher|smaller|larger|below|beyond)\b"
_MEASURED: Final = rf"measured ({_NUMBER})"
_INTERVAL: Final = rf" ({_NUMBER}) to ({_NUMBER})"
_ANSWERS: Final = re.compile(r'<ol class="hypotheses">(.*?)</ol>', re.DOTALL)
_ANSWER: Final = re.compile(
    r'<li><div><span class="[^"]*">([^<]*)</span></div><div><p>(.*?)</p>\s*<p class="small soft">([^·]*) ·', re.DOTALL
)
_FACT: Final = re.compile(r'(?=<article class="fact">|<details class="line">)')
_FACT_GROUP: Final = re.compile(
    r'<tr><th scope="row" class="group">(.*?)</th><td class="effect">(.*?)</td><td class="ci">(.*?)</td>', re.DOTALL
)
_OWN_LINE: Final = re.compile(r'<p class="own">(.*?)</p>', re.DOTALL)
_LEAD: Final = re.compile(r'<p class="lead">(.*?)</p>', re.DOTALL)
_MATRIX: Final = re.compile(r'<table class="matrix verdicts">.*?</table>', re.DOTALL)
_MATRIX_CELL: Final = re.compile(r'<td data-head="([^"]*)">(.*?)</td>', re.DOTALL)
_FACT_HEAD: Final = re.compile(r'<span class="badge [^"]*">([^<]*)</span></(?:h3|summary)>')
_IN_FULL: Final = re.compile(r"<details><summary>In full.*?</summary>\s*<p>(.*?)</p>", re.DOTALL)
_FIGURE: Final = re.compile(r"<figcaption><h3>(.*?)</h3>(.*?)</figure>", re.DOTALL)
_PANEL: Final = re.compile(r"<h4>(.*?)</h4>(.*?)</table>", re.DOTALL)
_OF_GROUP: Final = ("value", "ci_low", "ci_high")
_LINE: Final = re.compile(r"<tr>(<th scope=\"row\".*?)</tr>", re.DOTALL)
_CELL: Final = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)

# what is beyond its margin, of groups of systems, told once
_BEYOND: Final = """
    select hypotheses.system_id, hypotheses.statistic, replace(hypotheses.headline_metric, '_', ' ') as metric,
        hypotheses.headline_group_id as group_id, hypotheses.headline_value as value,
        hypotheses.headline_margin as margin
    from hypotheses
    join findings
        using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
    where study_id = $study and hypotheses.verdict = 'beyond_margin' and not is_tool_bias and not is_repeated
        and reference_system_id = '' and grouping_id <> 'negative_control'
"""
# a row of a figure by what its captions say
_FIGURES: Final = """
    select measure_id, contrasts.grouping_id, contrasts.system_id, contrasts.group_id, own.value as mean,
        own.statistic is not null as has_mean,
        own.ci_low as mean_ci_low, own.ci_high as mean_ci_high, contrasts.value, contrasts.ci_low, contrasts.ci_high,
        contrasts.q_value, contrasts.verdict,
        replace(measure_id, '_', ' ') || if(category <> '', ': “' || category || '”', '')
            || if(calibration <> 'raw', ', ' || replace(calibration, '_', ' '), '') || ' by ' || grouping_id
            || if(slice_id <> 'all', ', slice ' || slice_id, '') as figure
    from contrasts
    left join summary_statistics as own
        using (study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, parameters, group_id)
    where study_id = $study and contrast in ('mean_difference', 'risk_difference')
        and statistic in ('mean', 'share') and parameters = ''
"""
_DISPARITIES: Final = """
    select system_id, grouping_id, value, null_q95, ci_low, ci_high, p_value, q_value, verdict,
        replace(measure_id, '_', ' ') || ', ' || calibration
            || if(slice_id <> 'all', ' slice ' || slice_id, '') as measure,
        replace(metric, '_', ' ') || ' of the ' || replace(statistic, '_', ' ')
            || if(parameters <> '', ' ' || replace(parameters, ';', '; '), '') as metric
    from disparities where study_id = $study
"""
# groups of statistics that have no row in contrasts are without what only contrasts tell
_GROUPS: Final = """
    select finding_groups.*, contrast is not null as is_in_contrasts, value_shrunken, ci_low_selected,
        ci_high_selected, q_equivalence
    from finding_groups
    left join (from contrasts where verdict is not null and contrast <> 'log_disparity') as contrasts
        using (study_id, slice_id, system_id, measure_id, calibration, grouping_id, statistic, parameters, group_id,
            category, reference)
    where study_id = $study
"""


def of_page(connection: duckdb.DuckDBPyConnection, path: Path) -> Iterator[Compared]:
    """A report, held against the published tables of its study."""
    page = path.read_text(encoding="utf-8")
    opened = re.search(r"<body data-study=\"([^\"]*)\" data-verdicts='([^']*)'", page)
    if opened is None:
        yield Compared(f"page {path.name}", 0, 0, ["no report of a study"])
        return
    study, words = html.unescape(opened[1]), json.loads(html.unescape(opened[2]))
    yield from _workbook(connection, page, study)
    yield _hypotheses(connection, page, study, words)
    yield _facts(connection, page, study, words)
    yield _beyond(connection, page, study)
    yield _detectable(connection, page, study)
    yield _sentences(connection, study)
    yield _figures(connection, page, study, words)
    yield _disparities(connection, page, study, words)


def _workbook(connection: duckdb.DuckDBPyConnection, page: str, study: str) -> Iterator[Compared]:
    carried = re.search(r"spreadsheetml\.sheet;base64,([^\"]+)\"", page)
    book = io.BytesIO(base64.b64decode(carried[1])) if carried else None
    for sheet, (view, keys) in SHEETS.items():
        if book is None:
            yield Compared(f"page {study}: {sheet}", 0, 0, ["the page carries no workbook"])
            continue
        frame = pd.read_excel(book, sheet_name=sheet, keep_default_na=False, na_values=[""])
        if frame.empty:
            continue
        # cells have no type and no empty text: they get those of the view; times are texts there
        types = {column: str(kind) for column, kind, *_ in connection.execute(f"describe {view}").fetchall()}
        columns = [name for name in frame.columns if not types[name].startswith("TIMESTAMP")]
        cells = frame[columns].astype(object)
        connection.register("cells", cells.where(cells.notna(), None).astype("string"))
        texts = {name: f"coalesce({name}, '')" for name in columns if types[name] == "VARCHAR"}
        typed = ", ".join(f"{texts.get(name, f'{name}::{types[name]}')} as {name}" for name in columns)
        told = f"(select '{study}' as study_id, {typed} from cells)"
        filled = ", ".join(f"{text} as {name}" for name, text in texts.items())
        given = f"(select * replace ({filled}) from {view})"
        yield compare(connection, Pair(f"page {study}: {sheet}, {view}", told, given, ["study_id", *keys]))


def _hypotheses(connection: duckdb.DuckDBPyConnection, page: str, study: str, words: Mapping[str, str]) -> Compared:
    """Sentences stand in the order of their ranks, word for word, each with its verdict."""
    found, n = [], 0
    lists = _ANSWERS.findall(page)
    queries = [
        f"select system_id, sentence, verdict from findings where study_id = '{study}' and is_tool_bias = {is_tool}"
        " order by finding_rank"
        for is_tool in ("false", "true")
    ]
    given = [rows for query in queries if (rows := records(connection, query))]
    if len(lists) != len(given):
        found.append(f"{len(lists)} lists of hypotheses, {len(given)} in findings")
    for listed, rows in zip(lists, given, strict=False):
        told = [tuple(map(_text, one)) for one in _ANSWER.findall(listed)]
        n += len(told)
        if len(told) != listed.count("<li>") or (len(told) < len(rows) and "are shown" not in page):
            found.append(f"{len(told)} hypotheses of {len(rows)}")
        for (verdict, sentence, system), row in zip(told, rows, strict=False):
            if (verdict, sentence, system) != (words[row["verdict"]], _text(row["sentence"]), row["system_id"]):
                found.append(f"{system}: {verdict}, {sentence!r}; findings: {row['verdict']}, {row['sentence']!r}")
    return Compared(f"page {study}: sentences, findings", n, 3 * n, found)


def _facts(connection: duckdb.DuckDBPyConnection, page: str, study: str, words: Mapping[str, str]) -> Compared:
    """A fact of page one has the verdict of the finding whose sentence it tells, and sentences of its groups."""
    verdicts: dict[str, set[str]] = {}
    for sentence, verdict in connection.execute(
        "select sentence, verdict from findings where study_id = $study", {"study": study}
    ).fetchall():
        verdicts.setdefault(_text(sentence), set()).add(words[verdict])
    of_groups = _rows(connection, _GROUPS, study)
    found, n = [], 0
    for fact in _FACT.split(_first_page(page))[1:]:
        head, whole = _FACT_HEAD.search(fact), _IN_FULL.search(fact)
        sentence = _text(whole[1]) if whole else ""
        if head is None or _text(head[1]) not in verdicts.get(sentence, set()):
            found.append(f"{_text(head[1]) if head else 'no verdict'}: {sentence!r}")
        groups = [
            (_text(_without_notes(name)), _text(effect), _text(_without_notes(limits)))
            for name, effect, limits in _FACT_GROUP.findall(fact)
        ]
        found += [
            f"no row of a group: {group}" for group in groups if not any(_is_group(group, row) for row in of_groups)
        ]
        n += 1 + 3 * len(groups)
    return Compared(f"page {study}: facts, findings and their groups", n, n, found)


def _first_page(page: str) -> str:
    return page.partition('<section id="findings">')[2].partition('<section id="groups">')[0]


def _is_group(group: tuple[str, str, str], row: Mapping[str, Any]) -> bool:
    """Whether name, effect and interval on a card are of a row: what selection leaves of it, where that is known."""
    name, effect, limits = group
    label = f" ({row['category']})" if row["category"] else ""
    if name != f"{row['group_id']}{label}":
        return False
    is_adjusted = row["value_shrunken"] is not None and (row["ci_low_selected"], row["ci_high_selected"]) != (
        None,
        None,
    )
    names = ("value_shrunken", "ci_low_selected", "ci_high_selected") if is_adjusted else ("value", "ci_low", "ci_high")
    factor = 100 if effect.endswith(" points") else 1
    low, _, high = limits.rpartition(" to ")
    told = (effect.removesuffix(" points"), low, high)
    numbers = [None if row[one] is None else factor * row[one] for one in names]
    present = [(text, number) for text, number in zip(told, numbers, strict=True) if number is not None]
    return all(is_rounded(text, number) for text, number in present)


def _beyond(connection: duckdb.DuckDBPyConnection, page: str, study: str) -> Compared:
    """What is beyond its margin is so in the lead, in the matrix and, with its numbers, on a card."""
    rows, first = _rows(connection, _BEYOND, study), _first_page(page)
    lead = " ".join(map(_text, _LEAD.findall(first)))
    found = []
    if ("beyond margin" in lead) is not bool(rows):
        found.append(f"{len(rows)} hypotheses beyond their margin, the lead {lead!r}")
    lines = [line for fact in _FACT.split(first)[1:] for line in _own_lines(fact)]
    for row in rows:
        what = row["group_id"] or row["metric"]
        if not any(_is_told_beyond(line, str(what), row) for line in lines):
            found.append(f"no line of {row['system_id']}, {row['statistic']}: {what} {row['value']}")
    cells = [cell for table in _MATRIX.findall(first) for cell in _MATRIX_CELL.findall(table)]
    systems = {row["system_id"] for row in rows}
    marked = {html.unescape(head) for head, content in cells if "badge beyond_margin" in content}
    heads = {html.unescape(head) for head, _ in cells}
    if systems and systems <= heads and systems != marked:
        found.append(f"beyond margin in the matrix {sorted(marked)}, in hypotheses {sorted(systems)}")
    if rows and not marked:
        found.append("nothing is beyond its margin in the matrix")
    return Compared(f"page {study}: beyond margin, hypotheses", len(rows), 3 * len(rows), found)


def _own_lines(fact: str) -> list[str]:
    """The lines of statistics of a card; one without a badge has that of the card."""
    head = _FACT_HEAD.search(fact)
    lines = _OWN_LINE.findall(fact)
    return [_text(line if "badge" in line or head is None else f"{head[1]} {line}") for line in lines]


def _detectable(connection: duckdb.DuckDBPyConnection, page: str, study: str) -> Compared:
    """What a cell of the matrix calls detectable is of its system, by the rule that the audit follows too."""
    rows = _rows(connection, f"select * from {DETECTABLE} where study_id = $study", study)
    cells = [cell for table in _MATRIX.findall(_first_page(page)) for cell in _MATRIX_CELL.findall(table)]
    told = [
        (html.unescape(head), number)
        for head, content in cells
        for number in re.findall(rf"\(detectable ({_NUMBER}(?: points)?)\)", content)
    ]
    # systems are the heads, or the lines where they are many
    systems = {row["system_id"] for row in rows}
    found = []
    for head, number in told:
        factor = 100 if number.endswith(" points") else 1
        values = [row["detectable"] for row in rows if head not in systems or row["system_id"] == head]
        if not any(v is not None and is_rounded(number.removesuffix(" points"), factor * v) for v in values):
            found.append(f"{head}: detectable {number}")
    return Compared(f"page {study}: detectable, its rule", len(told), len(told), found)


def _is_told_beyond(line: str, what: str, row: Mapping[str, Any]) -> bool:
    """Whether a line of a card is of a hypothesis: its name, its margin, and its value if no selection shrinks it."""
    value = re.search(rf"{re.escape(what)} ({_NUMBER})( points)?", line)
    if value is None or "beyond margin" not in line or row["statistic"].replace("_", " ") not in line:
        return False
    factor = 100 if value[2] else 1
    margin = re.search(rf"margin ({_NUMBER})", line.partition("beyond margin")[2])
    is_value = bool(row["group_id"]) or is_rounded(value[1], factor * row["value"])
    return is_value and margin is not None and is_rounded(margin[1], factor * row["margin"])


def _sentences(connection: duckdb.DuckDBPyConnection, study: str) -> Compared:
    """Each number in the sentence of a group is the rounded one of its row."""
    found, n, rows = [], 0, _rows(connection, _GROUPS, study)
    for row in rows:
        for told, name, value in _told_in_sentence(row):
            if name not in _OF_GROUP and not row["is_in_contrasts"]:
                continue
            n += 1
            if not is_rounded(told, value):
                where = place(row, ["system_id", "measure_id", "statistic", "group_id", "category"])
                found.append(f"{where}: {name} {value}, told as {told}: {row['sentence']!r}")
    return Compared(f"sentences of groups of {study}, their rows", len(rows), n, found)


def _told_in_sentence(row: Mapping[str, Any]) -> Iterator[tuple[str, str, float | None]]:
    """Numbers of a sentence, each with the name and value of its column, in the direction that the sentence tells."""
    said = row["sentence"].removeprefix(f"{row['group_id']}: ")
    factor = (100 if "percentage points" in said else 1) * (-1 if (row["value"] or 0) < 0 else 1)

    def size(name: str) -> float | None:
        return None if row[name] is None else factor * row[name]

    is_about = re.search(rf"about {_VALUE}", said)
    if value := is_about or re.search(_VALUE, said):
        name = "value_shrunken" if is_about else "value"
        yield value[1], name, size(name)
    if value := re.search(_MEASURED, said):
        yield value[1], "value", size("value")
    for words, ending in (("interval after selection", "_selected"), (r"% interval", "")):
        if limits := re.search(words + _INTERVAL, said):
            names = (f"ci_low{ending}", f"ci_high{ending}")
            for told, name in zip(limits.groups(), names if factor > 0 else names[::-1], strict=True):
                yield told, name, size(name)
    if q := re.search(r"inside the margin of .* \(q ([^)]*)\)", said):
        yield q[1], "q_equivalence", row["q_equivalence"]


def _figures(connection: duckdb.DuckDBPyConnection, page: str, study: str, words: Mapping[str, str]) -> Compared:
    """Rows of figures by figure, system and group: the mean, the difference, both intervals, q and verdict."""
    rows: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in _rows(connection, _FIGURES, study):
        rows.setdefault((row["figure"], row["system_id"], row["group_id"]), []).append(row)
    names = ("mean", "mean_ci_low", "mean_ci_high", "value", "ci_low", "ci_high", "q_value")
    found, n, n_rows = [], 0, 0
    for figure, content in _FIGURE.findall(page + _unpacked(page, "packed-figures")):
        for system, panel in _PANEL.findall(content):
            for line in _LINE.findall(panel):
                group, _, mean, _, difference, q, verdict = _CELL.findall(line)
                key = (_text(_without_notes(figure)), _text(_without_notes(system)), _text(_without_notes(group)))
                own = rows.get(key, [])
                if len(own) != 1:
                    continue  # of two references or statistics the captions do not tell which
                n_rows += 1
                # shares of categories stand in outcome_distributions, with intervals of their own
                n_left_out = 0 if own[0]["has_mean"] else 3
                told = [*_value_and_limits(mean), *_value_and_limits(difference), _text(q)][n_left_out:]
                n += len(told)
                found += _other_numbers(key, own[0], names[n_left_out:], told)
                found += _other_verdict(key, own[0], verdict, words)
    return Compared(f"page {study}: figures, contrasts and summary_statistics", n_rows, n, found)


def _disparities(connection: duckdb.DuckDBPyConnection, page: str, study: str, words: Mapping[str, str]) -> Compared:
    """Lines of the table of disparities by what they call themselves."""
    keys = ("system_id", "measure", "grouping_id", "metric")
    rows: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in _rows(connection, _DISPARITIES, study):
        rows.setdefault(tuple(row[key] for key in keys), []).append(row)
    names = ("value", "null_q95", "ci_low", "ci_high", "p_value", "q_value")
    found, n, n_rows = [], 0, 0
    section = re.search(r'<section id="disparities">(.*?)</section>', page, re.DOTALL)
    for line in _LINE.findall(section[1]) if section else []:
        cells = _CELL.findall(line)
        key = tuple(map(_text, cells[:4]))
        own = rows.get(key, [])
        if len(own) != 1:
            found.append(f"{' '.join(key)}: {len(own)} rows")
            continue
        n_rows += 1
        told = [_text(cells[4]), _text(cells[5]).lstrip("≤≥ "), *_limits(_text(cells[6])), *map(_text, cells[7:9])]
        n += len(told)
        found += _other_numbers(key, own[0], names, told)
        found += _other_verdict(key, own[0], cells[10], words)
    return Compared(f"page {study}: table of disparities, disparities", n_rows, n, found)


def _other_numbers(
    key: Sequence[str], row: Mapping[str, Any], names: Sequence[str], told: Sequence[str]
) -> Iterator[str]:
    for name, text in zip(names, told, strict=True):
        if not is_rounded(text, row[name]):
            yield f"{' '.join(key)}: {name} {row[name]}, the page {text!r}"


def _other_verdict(key: Sequence[str], row: Mapping[str, Any], cell: str, words: Mapping[str, str]) -> Iterator[str]:
    badge = re.search(r"<span[^>]*>([^<]*)</span>", cell)
    told = _text(badge[1]) if badge else ""
    if told != words.get(row["verdict"], ""):
        yield f"{' '.join(key)}: {row['verdict']}, the page {told!r}"


def is_rounded(told: str, value: float | None) -> bool:
    """Whether a printed number is a value with as many digits; a value that is not there has no digits."""
    if value is None:
        return re.fullmatch(_NUMBER, told) is None
    if told[:1] in ("<", ">") and len(told) > 1:
        return value < float(told[1:]) if told[0] == "<" else value > float(told[1:])
    if re.fullmatch(_NUMBER, told) is None:
        return False
    plain = told.replace("−", "-").replace(",", "")
    mantissa, _, exponent = plain.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(float(plain) - value) <= unit * 0.5 * (1 + 1e-6)


def _value_and_limits(cell: str) -> list[str]:
    text = _text(cell)
    return [text.partition(" ")[0], *_limits(text.partition(" ")[2])]


def _limits(text: str) -> list[str]:
    limits = re.findall(rf"{_NUMBER}|unbounded", text)
    return limits if len(limits) == 2 else ["", ""]


def _rows(connection: duckdb.DuckDBPyConnection, query: str, study: str) -> list[dict[str, Any]]:
    cursor = connection.execute(query, {"study": study})
    columns = [column[0] for column in cursor.description]
    return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def _unpacked(page: str, name: str) -> str:
    packed = re.search(rf'<script type="application/gzip" id="{name}">([^<]*)<', page)
    return gzip.decompress(base64.b64decode(packed[1])).decode() if packed else ""


def _without_notes(markup: str) -> str:
    return re.sub(r"<span[^>]*>.*?</span>", "", markup, flags=re.DOTALL)


def _text(markup: str) -> str:
    """What a reader sees of markup, blanks as one."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " " if "<br>" in markup else "", markup)).split())
