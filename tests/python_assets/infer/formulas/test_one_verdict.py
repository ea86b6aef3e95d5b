"""Nothing but formulas/verdict.py makes a verdict of numbers: no other function or table writes one by comparing."""

import ast
import re
from pathlib import Path

import pytest

from python_assets.infer.formulas.verdict import Verdict

ROOT = Path(__file__).parents[4]
WORDS = {str(word) for word in Verdict}
NAMES = {word.name for word in Verdict}
DECIDES = ROOT / "python_assets" / "infer" / "formulas" / "verdict.py"
NUMBERS = re.compile(r"(^|_)(p|q|value|low|high|margin|alpha|level|null_q95)($|_)")
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
# what was not tested has no numbers; outcomes of hypotheses and of imported numbers have words that are spelled alike
OF_SQL = {
    "dbt_models/models/marts/imported_metrics.sql": ["different"],
    "dbt_models/macros/verdict.sql": ["not_tested"],
    "dbt_models/models/intermediate/findings/int_hypotheses.sql": ["equivalent", "inconclusive"],
}


def named(node: ast.AST) -> set[str]:
    """Names, attributes and texts of an expression."""
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    names |= {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    return names | {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def is_word(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == "Verdict" and node.attr in NAMES
    if isinstance(node, ast.Name):
        return node.id in NAMES  # a constant of the same name
    return isinstance(node, ast.Constant) and node.value in WORDS


def deciders(code: str) -> list[str]:
    """Functions that hold a number of a claim against another one, and write a verdict, not only read one."""
    found = []
    for function in ast.walk(ast.parse(code)):
        if not isinstance(function, ast.FunctionDef | ast.Lambda):
            continue
        comparisons = [one for one in ast.walk(function) if isinstance(one, ast.Compare)]
        cases = [one for one in ast.walk(function) if isinstance(one, ast.MatchValue)]
        read = {id(one) for reader in (*comparisons, *cases) for one in ast.walk(reader)}
        written = [one for one in ast.walk(function) if is_word(one) and id(one) not in read]
        ordered = [one for one in comparisons if any(isinstance(how, ORDERS) for how in one.ops)]
        if written and any(NUMBERS.search(name) for one in ordered for name in named(one)):
            found.append(getattr(function, "name", "lambda"))
    return found


def test_no_other_code_makes_a_verdict_of_numbers():
    files = [path for folder in ("python_assets", "dagster_project") for path in (ROOT / folder).rglob("*.py")]
    found = {str(path.relative_to(ROOT)): deciders(path.read_text(encoding="utf-8")) for path in files}
    assert set(found.pop(str(DECIDES.relative_to(ROOT)))) >= {"row_verdicts"}
    assert {path: names for path, names in found.items() if names} == {}


def test_no_sql_makes_a_verdict():
    files = [
        path for folder in ("dbt_models", "docs/queries", "python_assets") for path in (ROOT / folder).rglob("*.sql")
    ]
    made = re.compile(rf"\b(?:then|else)\s+'({'|'.join(sorted(WORDS))})'")
    found = {str(path.relative_to(ROOT)): made.findall(path.read_text(encoding="utf-8")) for path in files}
    assert {path: words for path, words in found.items() if words} == OF_SQL


@pytest.mark.parametrize(
    "code",
    [
        "def told(row):\n    return 'beyond_margin' if row['ci_low'] > row['margin'] else row['verdict']",
        "def told(q, alpha):\n    return np.where(q <= alpha, Verdict.DIFFERENT, None)",
        "def told(row):\n    word = EQUIVALENT\n    return word if row.q_equivalence <= 0.05 else None",
    ],
)
def test_code_that_makes_one_is_found(code):
    assert deciders(code) == ["told"]


@pytest.mark.parametrize(
    "code",
    [
        "def told(row):\n    return row['verdict'] == 'beyond_margin' and row['ci_low'] > row['margin']",
        "def told(rows):\n    return ['beyond_margin' for row in rows if row['verdict'] == 'beyond_margin']",
    ],
)
def test_code_that_reads_one_is_not(code):
    assert deciders(code) == []
