"""Where a fault can be made in Python and SQL, and what the line reads with it.

Belongs here: the kinds of fault, each inside one line. Not here: which are drawn, or who finds them.
"""

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*"}
LOGIC = {"and": "or", "or": "and"}
AGGREGATES = {"avg": "sum", "sum": "avg", "min": "max", "max": "min"}


class Change(NamedTuple):
    """A line of a file and what a fault of this kind makes of it."""

    kind: str
    line_number: int
    line: str
    changed: str


def python_changes(source: str) -> Iterator[Change]:
    """Every fault of a Python file: operators, bounds, constants, arguments that change places."""
    for node in ast.walk(ast.parse(source)):
        for visit in (_comparison, _arithmetic, _logic, _constant, _arguments):
            yield from visit(node, source.splitlines())


def _between(kind: str, left: ast.expr, right: ast.expr, lines: list[str], others: dict[str, str]) -> Iterator[Change]:
    """The operator between two operands that stand on one line."""
    if left.end_lineno != right.lineno or left.end_col_offset is None:
        return
    line = lines[right.lineno - 1]
    gap = line[left.end_col_offset : right.col_offset]
    found = re.fullmatch(r"(\)*\s*)(\S+)(\s*\(*)", gap)
    if line.isascii() and found and found[2] in others:
        other = found[1] + others[found[2]] + found[3]
        yield Change(kind, right.lineno, line, line[: left.end_col_offset] + other + line[right.col_offset :])


def _comparison(node: ast.AST, lines: list[str]) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        yield from _between("comparison", node.left, node.comparators[0], lines, COMPARISONS)


def _arithmetic(node: ast.AST, lines: list[str]) -> Iterator[Change]:
    if isinstance(node, ast.BinOp) and not _is_text(node.left) and not _is_text(node.right):
        yield from _between("arithmetic", node.left, node.right, lines, ARITHMETIC)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and type(node.value) is str)


def _logic(node: ast.AST, lines: list[str]) -> Iterator[Change]:
    if isinstance(node, ast.BoolOp):
        yield from _between("and, or", node.values[0], node.values[1], lines, LOGIC)


def _constant(node: ast.AST, lines: list[str]) -> Iterator[Change]:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        line = lines[node.lineno - 1]
        # another axis fails at once wherever it is
        if line.isascii() and not line[: node.col_offset].endswith(("axis=", "shape[")):
            other = f"{node.value + 1}"
            changed = line[: node.col_offset] + other + line[node.end_col_offset :]
            yield Change("constant", node.lineno, line, changed)


def _arguments(node: ast.AST, lines: list[str]) -> Iterator[Change]:
    """Two neighbouring positional arguments that are names or attributes."""
    if not isinstance(node, ast.Call):
        return
    for first, second in zip(node.args, node.args[1:], strict=False):
        both = ast.Name | ast.Attribute
        if not (isinstance(first, both) and isinstance(second, both)) or first.lineno != second.end_lineno:
            continue
        line = lines[first.lineno - 1]
        one = line[first.col_offset : first.end_col_offset]
        other = line[second.col_offset : second.end_col_offset]
        if line.isascii() and one != other:
            middle = line[first.end_col_offset : second.col_offset]
            changed = line[: first.col_offset] + other + middle + one + line[second.end_col_offset :]
            yield Change("arguments", first.lineno, line, changed)


SQL_RULES: list[tuple[str, str, Callable[[re.Match[str]], str]]] = [
    ("comparison", r"(?<= )(<=|>=|<|>)(?= )", lambda found: COMPARISONS[found[0]]),
    ("arithmetic", r"(?<!select )(?<= )[-+*/](?= )", lambda found: ARITHMETIC[found[0]]),
    ("and, or", r"\b(and|or)\b(?= )", lambda found: LOGIC[found[0]]),
    ("aggregate", r"\b(avg|sum|min|max)(?=\()", lambda found: AGGREGATES[found[0]]),
    ("join", r"\bleft join\b", lambda found: "inner join"),
    ("join key", r"(?<=using )\((.+), \w+\)", lambda found: f"({found[1]})"),
    ("join key", r"\band (\w+)\.(\w+) = (?!\1)\w+\.\2\b", lambda found: ""),
    ("partition", r"(?<=partition by )(.+), \w+(?= order by|\))", lambda found: found[1]),
    ("arguments", r"(?<=coalesce\()(\w+\.\w+), (\w+\.\w+)(?=\))", lambda found: f"{found[2]}, {found[1]}"),
]


def sql_changes(source: str) -> Iterator[Change]:
    """Every fault of a model or macro: operators, bounds, aggregates, kinds of join, keys left out."""
    for number, line in enumerate(source.splitlines(), start=1):
        if line.lstrip().startswith(("--", "{#", "{%")):
            continue
        for kind, pattern, other in SQL_RULES:
            for found in re.finditer(pattern, line):
                changed = line[: found.start()] + other(found) + line[found.end() :]
                yield Change(kind, number, line, changed)
