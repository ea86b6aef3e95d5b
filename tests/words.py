"""What users read and what the code is named by, counted against docs/glossary.md.

python -m tests.words    writes the lower numbers into words_budget.csv, and words_without_a_line.txt less those gone
"""

import ast
import csv
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import yaml

from python_assets.texts.yaml_loader import LOADER

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"
BUDGET = ROOT / "tests" / "words_budget.csv"
WITHOUT_A_LINE = ROOT / "tests" / "words_without_a_line.txt"
CODE = ("python_assets", "dagster_project", "expectations", "plumbline")
QUOTING = {
    GLOSSARY,
    GLOSSARY.with_name("plain_words.md"),
    ROOT / "CHANGELOG.md",
    ROOT / "bench" / "mutation_faults.md",  # lines of code, as they were
}
RENAMING = {  # names keys and tables of before, so that they are refused with the new name, and its tests
    ROOT / "python_assets" / "study" / "problems.py",
    ROOT / "tests" / "python_assets" / "study_file" / "test_load.py",
    ROOT / "tests" / "python_assets" / "published" / "test_query.py",
}
EVERY_SUITE_HAS = {"KEYS"}  # an interface of the modules of expectations, and no two things of one name
GENERATED = {ROOT / "docs" / "tables.md"}  # of the descriptions, which are read where they are written
SPAN = re.compile(r"`([^`]+)`")
SENTENCE = re.compile(r"[A-Za-z,] [a-z]")
SQL = re.compile(
    r"\s*(with\s+\w+\s+as\b|select\s|insert\s+into|create\s+(or|table|temp|schema|view)|delete\s+from|update\s+\S+\s+set"
    r"|from\s+[\w{]+\s*(where|join|order|group|$)|drop\s|alter\s|copy\s)",
    re.IGNORECASE,
)


class Text(NamedTuple):
    """A paragraph, sentence or description that somebody reads."""

    area: str
    path: Path
    line: int
    words: str


class Match(NamedTuple):
    """What is counted in an area, where it is, and what to say in its place."""

    area: str
    path: Path
    line: int
    found: str
    say: str

    def __str__(self) -> str:
        """As a failure prints it."""
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.found!r}: {self.say}"


def rows_of(section: str) -> Iterator[list[str]]:
    """The cells of the tables of a section of the glossary, headings left out."""
    page = GLOSSARY.read_text(encoding="utf-8")
    body = re.split(r"^## ", page, flags=re.MULTILINE)
    (wanted,) = (part for part in body if part.startswith(f"{section}\n"))
    tables = [line for line in wanted.splitlines() if line.startswith("|")]
    for before, line in zip(["", *tables], tables, strict=False):
        if not line.startswith("|---") and before:
            yield [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


@cache
def banned() -> list[tuple[re.Pattern[str], str]]:
    """Patterns of words that users do not read, and what to say."""
    rows = rows_of("Banned in what users read")
    return [(re.compile(SPAN.findall(pattern)[0], re.IGNORECASE), say) for pattern, say in rows]


@cache
def banned_alone() -> set[str]:
    """Words that are no identifier by themselves."""
    page = " ".join(GLOSSARY.read_text(encoding="utf-8").split())
    return set(re.findall(r"none is one of these words alone: ([\w, ]+)\.", page)[0].split(", "))


def breaches(words: str) -> Iterator[tuple[str, str]]:
    """Each banned word of a text, and what to say in its place."""
    for pattern, say in banned():
        for match in pattern.finditer(words):
            yield match[0], say


def outside_code(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page by number, those of blocks of code empty."""
    is_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        is_fence = line.lstrip().startswith("```")
        yield number, "" if is_fence or is_code else line
        is_code ^= is_fence


def markdown_texts(area: str, path: Path) -> Iterator[Text]:
    """Paragraphs and table rows; no block of code and no inline code."""
    block: list[str] = []
    start = 1
    for number, line in chain(outside_code(path), [(0, "")]):
        if block and (not line.strip() or line.startswith(("|", "#", "- "))):
            yield Text(area, path, start, " ".join(block))
            block = []
        if line.strip():
            start = start if block else number
            block.append(re.sub(r"\]\([^)]*\)", "]", SPAN.sub("X", line.strip())))


def template_texts(path: Path) -> Iterator[Text]:
    """What a template says, less its tags, its expressions and its code."""
    page = path.read_text(encoding="utf-8")
    for pattern in (r"<(script|style|code|pre)\b.*?</\1>", r"\{[{%#].*?[%#}]\}", r"<[^>]*>"):
        page = re.sub(pattern, lambda match: "X" + "\n" * match[0].count("\n"), page, flags=re.DOTALL)
    for number, line in enumerate(page.splitlines(), 1):
        if SENTENCE.search(line):
            yield Text("report", path, number, " ".join(line.split()))


def description_texts(path: Path) -> Iterator[Text]:
    """The descriptions of models, columns, seeds and sources."""
    nodes = [yaml.compose(path.read_text(encoding="utf-8"), Loader=LOADER)]
    for node in nodes:  # grows as it is read
        if isinstance(node, yaml.SequenceNode):
            nodes += node.value
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == "description":
                    words = SPAN.sub("X", " ".join(value.value.split()))
                    yield Text("descriptions", path, value.start_mark.line + 1, words)
                else:
                    nodes.append(value)


@cache
def trees() -> dict[Path, ast.Module]:
    """The code of the project, parsed."""
    paths = sorted(path for folder in CODE for path in (ROOT / folder).rglob("*.py"))
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def code_texts(path: Path, tree: ast.Module) -> Iterator[Text]:
    """Docstrings, and other strings that are sentences and no SQL."""
    area = "report" if path.is_relative_to(ROOT / "python_assets" / "report") else "messages"
    nodes: list[ast.AST] = [tree]
    for node in nodes:  # grows as it is read; parts of a sentence are not read again
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield Text("docstrings", path, node.lineno, SPAN.sub("X", " ".join(node.value.value.split())))
            continue
        words = _words(node)
        if words is None:
            nodes += ast.iter_child_nodes(node)
        elif SENTENCE.search(words) and not SQL.match(words):
            yield Text(area, path, getattr(node, "lineno", 1), SPAN.sub("X", " ".join(words.split())))


def _words(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) if isinstance(one, ast.Constant) else "X" for one in node.values)
    return None


def texts() -> Iterator[Text]:
    """All that users read."""
    yield from markdown_texts("README", ROOT / "README.md")
    for path in sorted((ROOT / "docs").rglob("*.md")):
        if path not in QUOTING | GENERATED:
            yield from markdown_texts("docs", path)
    for path in sorted((ROOT / "python_assets" / "report").rglob("*.html")):
        yield from template_texts(path)
    for path in sorted((ROOT / "dbt_models").rglob("*.yml")):
        yield from description_texts(path)
    for path, tree in trees().items():
        yield from code_texts(path, tree)


def prose() -> Iterator[Match]:
    """Banned words in what users read."""
    for text in texts():
        for words, say in breaches(text.words):
            yield Match(f"prose: {text.area}", text.path, text.line, words, say)


def identifiers() -> Iterator[Match]:
    """Names in the code that the section Names inside the code bans."""
    for path, tree in trees().items():
        for node in ast.walk(tree):
            for name in _names(node):
                if name.lower().startswith("of_"):
                    yield Match("identifiers: of_", path, getattr(node, "lineno", 1), name, "a name says of what")
                elif name in banned_alone():
                    yield Match(f"identifiers: {name}", path, getattr(node, "lineno", 1), name, "a name says of what")


def _names(node: ast.AST) -> Iterator[str]:
    for field in ("id", "arg", "attr", "name", "asname"):
        if isinstance(name := getattr(node, field, None), str):
            yield name


def homonyms() -> Iterator[Match]:
    """Classes and public constants of one name in several modules, one match a name."""
    modules: dict[tuple[str, str], list[tuple[Path, int]]] = defaultdict(list)
    for path, tree in trees().items():
        for node in tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if isinstance(node, ast.ClassDef):
                modules["classes", node.name].append((path, node.lineno))
            for name in names:
                if name.isupper() and not name.startswith("_") and name not in EVERY_SUITE_HAS:
                    modules["constants", name].append((path, node.lineno))
    for (kind, name), places in modules.items():
        if len({path for path, _ in places}) > 1:
            yield Match(f"identifiers: {kind} in several modules", *places[-1], name, "name it by what it is of")


def _left_of_arrows() -> list[str]:
    """What the table of renames has left of an arrow, as code."""
    found = []
    for _, what, renamed in rows_of("Renames"):
        for segment in renamed.split(";") if what == "I" else ():
            is_new = False
            for piece in re.findall(r"`[^`]+`|->", segment.rpartition("->")[0]):
                if piece == "->":
                    is_new = True
                elif is_new:
                    is_new = False
                else:
                    found.append(piece.strip("`"))
    return list(dict.fromkeys(found))


def old_names() -> list[str]:
    """Names left of an arrow in the table of renames that are no plain word."""
    return [name for name in _left_of_arrows() if re.search(r"[_\-./ ]", name) and not re.match(r"[.{]|.*\*", name)]


def old_words_in_use() -> set[str]:
    """Old names of one word that are a key of a study file, or a column or an accepted value of a published table."""
    words = {name for name in _left_of_arrows() if name.isalpha()}
    used = _keys() & words
    for folder in ("marts", "views"):
        for path in (ROOT / "dbt_models" / "models" / folder).glob("*.yml"):
            page = path.read_text(encoding="utf-8")
            for model in yaml.load(page, LOADER).get("models", ()):
                used |= {f"{model['name']}.{one['name']}" for one in model.get("columns", ()) if one["name"] in words}
            values = {
                value.strip() for listed in re.findall(r"values: \[([^\]]*)\]", page) for value in listed.split(",")
            }
            used |= {f"{path.stem}: {value}" for value in values & words}
    return used


def renamed() -> Iterator[Match]:
    """Where an old name stands."""
    patterns = {name: _whole(name) for name in old_names()}
    suffixes = {".py", ".sql", ".yml", ".yaml", ".html", ".md"}
    left_out = QUOTING | GENERATED | RENAMING
    folders = (*CODE, "dbt_models", "docs", "studies", "tests", "bench")
    pages = chain(ROOT.glob("*.md"), *((ROOT / folder).rglob("*") for folder in folders))
    for path in sorted(path for path in pages if path.suffix in suffixes and path not in left_out):
        page = path.read_text(encoding="utf-8")
        for name, pattern in patterns.items():
            if name.removeprefix("<measure>") in page:
                for match in pattern.finditer(page):
                    line = page.count("\n", 0, match.start()) + 1
                    yield Match(f"old names: {name}", path, line, match[0], "docs/glossary.md, Renames")


def _whole(name: str) -> re.Pattern[str]:
    if name.startswith("<measure>"):
        return re.compile(rf"\w{re.escape(name.removeprefix('<measure>'))}\b")
    end = "" if name.endswith("/") else r"(?!\w)"
    return re.compile(rf"(?<![\w-]){re.escape(name)}{end}")


def matches() -> Iterator[Match]:
    """All that is counted."""
    return chain(prose(), identifiers(), homonyms(), renamed())


def budget() -> dict[str, int]:
    """How many there may be by area."""
    with BUDGET.open(encoding="utf-8", newline="") as file:
        return {area: int(n) for area, n in csv.reader(file)}


def named() -> set[str]:
    """Keys of a study file, published tables and commands."""
    folders = ("marts", "views")
    tables = {path.stem for folder in folders for path in (ROOT / "dbt_models" / "models" / folder).glob("*.sql")}
    commands = re.findall(r'add_parser\(\s*"([\w-]+)"', (ROOT / "python_assets" / "cli.py").read_text(encoding="utf-8"))
    return _keys() | tables | set(commands)


def _keys() -> set[str]:
    """The fields of Part and of all that is made of it; a key that is a word of Python ends in _ there."""
    classes = [node for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    parts = {"Part"}
    while more := {one.name for one in classes if parts & {*map(ast.unparse, one.bases)}} - parts:
        parts |= more
    return {
        field.target.id.rstrip("_")
        for one in classes
        if parts & {*map(ast.unparse, one.bases)}
        for field in one.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if not field.target.id.startswith("_") and not ast.unparse(field.annotation).startswith("ClassVar")
    }


def without_a_line() -> set[str]:
    """Names that may be without one in the glossary."""
    return set(WITHOUT_A_LINE.read_text(encoding="utf-8").split())


def with_a_line() -> set[str]:
    """Names that the glossary has: terms in one number or the other, and what stands there as code."""
    page = GLOSSARY.read_text(encoding="utf-8")
    terms = {
        term.strip().lower().replace(" ", "_")
        for bold in re.findall(r"^\| \*\*(.*?)\*\*", page, flags=re.MULTILINE)
        for term in re.split(r"[,;()]", bold)
    }
    plurals = {f"{term}s" for term in terms} | {term.replace("hypothesis", "hypotheses") for term in terms}
    return terms | plurals | set(SPAN.findall(page))


def main() -> None:
    """Write the counts as they are now; one that rose is refused."""
    counts, allowed = Counter(match.area for match in matches()), budget()
    if risen := [area for area, n in counts.items() if n > allowed.get(area, 0)]:
        sys.exit(f"more than before, which tests/test_words.py lists: {', '.join(sorted(risen))}")
    with BUDGET.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(sorted(counts.items()))
    left = without_a_line() & named() - with_a_line()
    WITHOUT_A_LINE.write_text("\n".join(sorted(left)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
