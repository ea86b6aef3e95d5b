# ruff: noqa: E501, C901
"""Renames by the table of docs/glossary.md: names in code, keys, columns and values, no sentence.

python -m bench.rename STEP [PATH...]    one step of STEPS, over all files or those named

In code a rule holds everywhere. In prose (comments, docstrings, sentences, pages) it holds in names with an
underscore, between backticks, and where a word is a key: followed by a colon at the start of a line, or by a bracket
or a dot. Material, data and texts that seed draws are not read.
"""

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import yaml

from bench.rename_steps import KEPT, STEPS

SENTENCE = re.compile(r"[A-Za-z,] [a-z]")
SQL = re.compile(
    r"\s*(with\s+\w+\s+as\b|select\s|insert\s+into|create\s+(or|table|temp|schema|view)|delete\s+from|update\s+\S+\s+set"
    r"|from\s+[\w{]+\s*(where|join|order|group|$)|drop\s|alter\s|copy\s|attach\s|detach\s|describe\s|summarize\s|where\s+\w+ ?[=i(]"
    r"|(left |inner |cross |asof |semi |anti )?join\s|order by|group by|union all|case\s|qualify|having)",
    re.IGNORECASE,
)
ROOT = Path(__file__).resolve().parents[1]
LEFT_ALONE = re.compile(
    r"^(studies/texts/|studies/.*\.csv$|CHANGELOG|docs/glossary|docs/plain_words|docs/tables\.md|bench/mutation_faults|"
    r"bench/rename|tests/words|tests/test_words|bench/refusals_held_out|python_assets/providers/refusal/|LICENSE|"
    r"constraints\.txt|docs/pictures)"
)
KINDS = {
    ".py",
    ".sql",
    ".yml",
    ".yaml",
    ".html",
    ".js",
    ".css",
    ".csv",
    ".json",
    ".md",
    ".ambr",
    ".toml",
    ".ipynb",
    ".sh",
}


class Rule(NamedTuple):
    """A name and what becomes of it; exact: not inside a longer name."""

    old: str
    new: str
    exact: bool


def cases(rule: Rule) -> list[tuple[re.Pattern[str], str]]:
    """A rule for names in lower and upper case, and for those of classes."""
    if not re.fullmatch(r"[a-z0-9_]+", rule.old):
        return [(re.compile(rule.old), rule.new)]
    if rule.exact:
        return [(re.compile(rf"(?<!\w){rule.old}(?!\w)"), rule.new)]
    camel = ["".join(piece.capitalize() for piece in name.split("_")) for name in (rule.old, rule.new)]
    return [
        (re.compile(rf"(?<![A-Za-z0-9]){rule.old}(?![a-z0-9])"), rule.new),
        (re.compile(rf"(?<![A-Za-z0-9]){rule.old.upper()}(?![A-Za-z0-9])"), rule.new.upper()),
        (re.compile(rf"(?<![A-Z]){camel[0]}(?![a-z0-9])"), camel[1]),
    ]


class Renamer:
    """A step: its rules over code and over prose."""

    def __init__(self, rules: list[Rule]) -> None:
        plain = re.compile(r"[a-z0-9_]+")
        self.rules = [(rule, *case) for rule in rules for case in cases(rule) if plain.fullmatch(rule.old)]
        self.raw = [case for rule in rules for case in cases(rule) if not plain.fullmatch(rule.old)]

    def code(self, text: str) -> str:
        """All names."""
        kept: list[str] = []

        def keep(match: re.Match[str]) -> str:
            kept.append(match[0])
            return f"\x00{len(kept) - 1}\x01"

        text = KEPT.sub(keep, text)
        for _, pattern, new in self.rules:
            text = pattern.sub(new, text)
        return re.sub(r"\x00(\d+)\x01", lambda match: kept[int(match[1])], text)

    def prose(self, text: str) -> str:
        """Names that can be no word of a sentence."""
        pieces = re.split(r"(``?[^`\n]+``?)", text)
        return "".join(self.code(one) if number % 2 else self._words(one) for number, one in enumerate(pieces))

    def _words(self, text: str) -> str:
        name = re.compile(
            r"\w*_\w+|(?:(?<=\n)|(?<=^)|(?<=[.,{(] )|(?<=[{(]))[ -]*\w+(?=: |:\n|:$)|\w+(?=\[|\.[a-z_])|(?<=[a-z\]]\.)\w+|[\w-]+/[\w/.-]*|(?<!\w)--[\w-]+|\{\w+\}"
        )
        return name.sub(lambda match: self.code(match[0]), text)

    def python(self, text: str) -> str:
        """Names and strings that are no sentence as code, the rest as prose."""
        lines = text.splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        done, out = 0, []
        before = tokenize.NEWLINE
        is_seed = False
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            begin = starts[token.start[0] - 1] + token.start[1]
            end = starts[token.end[0] - 1] + token.end[1]
            change: Callable[[str], str] | None = None
            if token.type == tokenize.NAME:
                is_seed = (token.string == "stable_seed" and text[end : end + 1] == "(") or is_seed
                change = self.code
            elif token.type == tokenize.OP and token.string == ")":
                is_seed = False
            elif token.type == tokenize.COMMENT:
                change = self.prose
            elif token.type == tokenize.STRING and not is_seed:
                is_doc = before in {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.ENCODING}
                change = self.prose if is_doc and token.string.lstrip("rf").startswith('"""') else self.string
            if token.type not in {tokenize.COMMENT, tokenize.NL}:
                before = token.type
            if change is not None:
                out += [text[done:begin], change(text[begin:end])]
                done = end
        return "".join([*out, text[done:]])

    def string(self, text: str) -> str:
        """A literal; the expressions of an f-string are code."""
        is_f = re.match(r"[rR]?[fF]", text)
        pieces = re.split(r"(?<!\{)(\{[^{}]+\})(?!\})", text) if is_f else [text]
        whole = "X".join(pieces[::2])
        change = (
            self.prose
            if SENTENCE.search(whole) and not SQL.match(re.sub(r"^[rRfFbB]*[\"']+", "", whole))
            else self.code
        )
        if re.fullmatch(r"[a-z0-9_ {}]*_[a-z0-9_ {}]*", re.sub(r"^[rRfF]?[\"']+|[\"']+$", "", text)):
            change = self.code
        if change == self.prose and re.search(r"\n\s*(select|from|where|with)\b", whole):
            change = self.code
        return "".join(self.code(one) if number % 2 else change(one) for number, one in enumerate(pieces))

    def sql(self, text: str) -> str:
        """All but comments and quoted sentences."""

        def one(match: re.Match[str]) -> str:
            piece = match[0]
            is_prose = piece.startswith("--") or (piece.startswith("'") and SENTENCE.search(piece))
            return self.prose(piece) if is_prose or piece.startswith("{#") else self.code(piece)

        return re.sub(r"--[^\n]*|\{#.*?#\}|'(?:[^'\n]|'')*'|[^-'{]+|.", one, text, flags=re.DOTALL)

    def dbt_yaml(self, text: str) -> str:
        """Keys and values, but descriptions as prose."""
        node = yaml.compose(text)
        spans, nodes = [], [node] if node else []
        for one in nodes:
            if isinstance(one, yaml.SequenceNode):
                nodes += one.value
            elif isinstance(one, yaml.MappingNode):
                for key, value in one.value:
                    if key.value in {"description", "error_if_message"} and isinstance(value, yaml.ScalarNode):
                        spans.append((value.start_mark.index, value.end_mark.index))
                    else:
                        nodes.append(value)
        spans += [match.span() for match in re.finditer(r"(?m)(^|\s)#.*$", text)]
        out, done = [], 0
        for begin, end in sorted(spans):
            if begin < done:
                continue
            out += [self.code(text[done:begin]), self.prose(text[begin:end])]
            done = end
        return "".join([*out, self.code(text[done:])])

    def html(self, text: str) -> str:
        """Expressions, tags and scripts as code, what is read as prose."""
        pieces = re.split(r"(<(?:script|style)\b.*?</(?:script|style)>|\{[{%].*?[%}]\}|<[^>]*>)", text, flags=re.DOTALL)
        return "".join(
            (self.template_code(one) if number % 2 else self.prose(one)) for number, one in enumerate(pieces)
        )

    def template_code(self, text: str) -> str:
        """An expression; what it quotes that is a sentence as prose."""

        def one(match: re.Match[str]) -> str:
            is_sentence = match[0].startswith('"') and SENTENCE.search(match[0])
            return self.prose(match[0]) if is_sentence else self.code(match[0])

        return re.sub(r'"[^"]*"|[^"]+', one, text, flags=re.DOTALL)

    def page(self, text: str) -> str:
        """Blocks of code and spans as code, but for their comments."""
        out, is_code, is_tree, language = [], False, False, ""
        for line in text.splitlines(keepends=True):
            if line.lstrip().startswith("```"):
                language = line.strip("`\n ")
                is_code, is_tree = not is_code, not language
                out.append(line)
            elif is_code and is_tree and SENTENCE.search(line):
                out.append(self.prose(line))
            elif is_code and language == "yaml":
                out.append(self._line_of_study(line))
            elif is_code:
                body, mark, comment = re.match(r"(.*?)((?:  |^)#|$)(.*)", line, re.DOTALL).groups()
                out += [self.code(body), mark, self.prose(comment)]
            else:
                out.append(self.prose(line))
        return "".join(out)

    def study(self, text: str) -> str:
        """Keys, placeholders and values of one word; texts as they are."""
        return self.page(f"```\n{text}```")[4:-3] if False else self._words_of_study(text)

    def _words_of_study(self, text: str) -> str:
        return "".join(self._line_of_study(line) for line in text.splitlines(keepends=True))

    def _line_of_study(self, line: str) -> str:
        body, mark, comment = re.match(r"(.*?)((?:\s|^)#|$)(.*)", line, re.DOTALL).groups()
        body = self._words(body)
        if not SENTENCE.search(body.partition(":")[2]) or re.search(r"\[[\w, .]+\]", body):
            body = self.code(body)
        return body + mark + self.prose(comment)

    def csv(self, text: str) -> str:
        """Cells of one word as code, others as prose."""
        return re.sub(
            r'"(?:[^"]|"")*"|[^,\n]+',
            lambda match: self.prose(match[0]) if SENTENCE.search(match[0]) else self.code(match[0]),
            text,
        )

    def file(self, path: Path, text: str) -> str:
        """A file, by its kind."""
        kind, name = path.suffix, str(path)
        for pattern, new in self.raw:
            text = pattern.sub(new, text)
        if kind == ".py":
            return self.python(text)
        if kind == ".sql":
            return self.sql(text)
        if kind in {".yml", ".yaml"}:
            is_study = name.startswith("studies/") or name.endswith("new_study.yml")
            return self.study(text) if is_study else self.dbt_yaml(text)
        if kind == ".html":
            return self.html(text)
        if kind == ".md":
            return self.page(text)
        if kind == ".csv":
            return self.csv(text)
        if kind in {".ambr", ".json", ".ipynb"}:
            pieces = re.split(r"((?<=[\"'])\w+(?=[\"']))", text)
            return "".join(self.code(one) if number % 2 else self.prose(one) for number, one in enumerate(pieces))
        if kind in {".js", ".css", ".sh", ".toml"}:
            pieces = re.split(r"((?:^|\s)(?://|#)[^\n]*|/\*.*?\*/)", text, flags=re.DOTALL)
            return "".join(self.prose(one) if number % 2 else self.code(one) for number, one in enumerate(pieces))
        return self.code(text)


def scope_of(new: str | tuple[str, str]) -> str | None:
    """Where a rule holds alone."""
    return None if isinstance(new, str) else new[1]


def main() -> None:
    """Rename, and say where a new name was there before."""
    name, *named = sys.argv[1:]
    rules = [
        (Rule(old.removeprefix("="), *[new if isinstance(new, str) else new[0], old.startswith("=")]), scope_of(new))
        for old, new in STEPS[name].items()
    ]
    renamer = Renamer([rule for rule, scope in rules if scope is None])
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    n_files = n_lines = 0
    for path in map(Path, named or listed):
        if path.suffix not in KINDS or LEFT_ALONE.search(str(path)) or not (ROOT / path).exists():
            continue
        text = (ROOT / path).read_text(encoding="utf-8")
        new = Renamer([rule for rule, scope in rules if scope is None or re.search(scope, str(path))]).file(path, text)
        if new != text:
            changed = sum(a != b for a, b in zip(text.splitlines(), new.splitlines(), strict=False))
            n_files, n_lines = n_files + 1, n_lines + changed
            (ROOT / path).write_text(new, encoding="utf-8")
            if path.suffix in {".py", ".sql"}:
                _say_what_met(path, text, new)
    print(n_files, "files,", n_lines, "lines")
    for path in [] if named else listed:
        steps = [renamer.code(step) for step in Path(path).parts]
        target = ROOT.joinpath(*steps)
        if target != ROOT / path and not re.search(LEFT_ALONE, path) and (ROOT / path).exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["git", "mv", path, str(target)], cwd=ROOT, check=True)
            print(path, "->", target.relative_to(ROOT))


def _say_what_met(path: Path, before: str, after: str) -> None:
    """Names of a file that had been two and are one now."""
    old, new = (set(re.findall(r"\b[A-Za-z_]\w*", text)) for text in (before, after))
    if len(new) < len(old):
        met = [name for name in old & new if after.count(name) > before.count(name)]
        counts = {
            name: len(re.findall(rf"\b{name}\b", after)) - len(re.findall(rf"\b{name}\b", before)) for name in met
        }
        if met := [name for name, more in counts.items() if more]:
            print("met:", path, *sorted(met))


if __name__ == "__main__":
    main()
