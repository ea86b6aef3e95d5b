"""A study file as plain data, with the line every value stands on.

Belongs here: bytes to dicts, lists and scalars. What the data means is parts.py.
"""

import math
from pathlib import Path
from typing import Any

import yaml

from python_assets.errors import (
    NOTHING,
    FieldPath,
    Nothing,
    PlumblineError,
    StudyError,
    StudyFileError,
    Told,
    field_name,
    shorten,
)
from python_assets.texts.yaml_loader import LOADER

STRING_TAG = "tag:yaml.org,2002:str"
MERGE_TAG = "tag:yaml.org,2002:merge"
INT_TAG = "tag:yaml.org,2002:int"
MOST_VALUES = 100_000
MOST_BITS = 64  # of a whole number, its sign among them


class StudyFile:
    """The content of a study file and where in the file each part of it stands."""

    def __init__(self, path: Path, root: yaml.Node, data: dict[str, Any], problems: list[StudyError]) -> None:
        """Keep the nodes, which know their lines, beside the data."""
        self.path = path
        self.data = data
        self.problems = problems
        self._root = root

    def line(self, path: FieldPath) -> int:
        """The line of a value, or of the innermost part around it that is in the file."""
        return self._find(path)[0]

    def written(self, path: FieldPath) -> str | None:
        """A scalar as the file spells it, for example yes where YAML reads true; None for anything else."""
        node = self._find(path)[1]
        return node.value if isinstance(node, yaml.ScalarNode) else None

    def locate(self, problem: PlumblineError) -> PlumblineError:
        """The same problem with its line, and a number as the file spells it."""
        if problem.line is not None:
            return problem
        placed = problem.at(problem.where, self.line(problem.where))
        if not isinstance(problem.got, str | Nothing) and (written := self.written(problem.where)):
            placed.got = Told(shorten(written))
        return placed

    def _find(self, path: FieldPath) -> tuple[int, yaml.Node | None]:
        node, line = self._root, self._root.start_mark.line + 1
        for step in path:
            line_and_node = _step_into(node, step)
            if line_and_node is None:
                return line, None
            line, node = line_and_node
        return line, node


def _step_into(node: yaml.Node | None, step: object) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        # the last one counts: a merged key comes before the key that overrides it
        for key, value in reversed(node.value):
            if getattr(key, "value", None) == step:
                return key.start_mark.line + 1, value
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step].start_mark.line + 1, node.value[step]
    return None


def read_study_file(path: Path, text: str | None = None) -> StudyFile:
    """Read a study file, or a text that stands in no file, without interpreting it.

    Keys are texts only; duplicate keys, keys that YAML reads as something else, and numbers that are not
    finite become problems of the result, beside the data as it was most likely meant.

    Raises:
        StudyFileError: the file is absent, is not UTF-8, is not YAML, or is not a mapping.
    """
    text = _read_text(path) if text is None else text
    try:
        root = _composed(text)
    except yaml.YAMLError as error:
        raise StudyFileError(path, [_syntax_problem(error, text)]) from error
    except RecursionError as error:
        expected = "lists and mappings a few levels deep"
        raise StudyFileError(path, [_of_file(1, NOTHING, expected, "remove some brackets")]) from error
    if not isinstance(root, yaml.MappingNode):
        came = root.value if isinstance(root, yaml.ScalarNode) else NOTHING
        remedy = "see a complete one with: plumbline new NAME"
        raise StudyFileError(path, [_of_file(1, came, "a mapping with keys such as prompts:", remedy)])
    if (n_values := _n_values(root, {})) > MOST_VALUES:
        expected = f"at most {MOST_VALUES:,} values, those that aliases repeat counted each time"
        problem = _of_file(1, f"{n_values:.3g} values", expected, "write out fewer aliases")
        raise StudyFileError(path, [problem])
    builder = _Builder(yaml.SafeLoader(""))
    data = builder.build(root, ())
    return StudyFile(path, root, data, builder.problems)


def _composed(text: str) -> yaml.Node | None:
    try:
        return yaml.compose(text, Loader=LOADER)
    except (yaml.YAMLError, UnicodeEncodeError):  # half of a surrogate pair is no UTF-8
        return yaml.compose(text, Loader=yaml.SafeLoader)  # its errors are the clearer ones


def _of_file(line: int | None, got: Any, expected: str, remedy: str) -> StudyError:
    return StudyError((), got, expected, remedy).at((), line)


def _n_values(node: yaml.Node, known: dict[int, int]) -> int:
    """The values of a node written out: aliases of aliases multiply."""
    if id(node) not in known:
        known[id(node)] = 0  # one that holds itself is told where it is built
        children: list[Any] = node.value if isinstance(node, yaml.CollectionNode) else []
        nodes = [child for pair in children for child in pair] if isinstance(node, yaml.MappingNode) else children
        known[id(node)] = 1 + sum(_n_values(child, known) for child in nodes)
    return known[id(node)]


def _read_text(path: Path) -> str:
    if path.exists() and not path.is_file():
        raise StudyFileError(path, [_of_file(None, NOTHING, "a file", "correct the path")])
    try:
        content = path.read_bytes()
    except OSError as error:
        expected, remedy = "a file that can be read", "check the path, or make one with: plumbline new NAME"
        raise StudyFileError(path, [_of_file(None, error.strerror, expected, remedy)]) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        came = f"byte 0x{content[error.start]:02x}"
        problem = _of_file(line, came, "UTF-8", "save the file with encoding UTF-8")
        raise StudyFileError(path, [problem]) from error


def _syntax_problem(error: yaml.YAMLError, text: str) -> StudyError:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        came, context = error.problem or "an error of syntax", f" ({error.context})" if error.context else ""
        remedy = "check brackets, quotes, colons and indentation there and on the line above"
        return _of_file(error.problem_mark.line + 1, Told(shorten(came)), f"YAML{context}", remedy)
    line = text.count("\n", 0, getattr(error, "position", 0)) + 1
    came = f"character {getattr(error, 'character', '?')!r}"
    return _of_file(line, Told(shorten(came)), "printable characters", "remove the character")


class _Builder:
    """Nodes to data; a node that several aliases share is built once."""

    def __init__(self, loader: yaml.SafeLoader) -> None:
        self.problems: list[StudyError] = []
        self._loader = loader
        self._built: dict[int, Any] = {}
        self._open: set[int] = set()

    def build(self, node: yaml.Node, path: FieldPath) -> Any:
        key = id(node)
        if key in self._open:
            self._report(node, path, NOTHING, "a value that does not hold itself", "remove the alias")
            return None
        if key not in self._built:
            self._open.add(key)
            self._built[key] = self._build_new(node, path)
            self._open.remove(key)
        return self._built[key]

    def _build_new(self, node: yaml.Node, path: FieldPath) -> Any:
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: FieldPath) -> dict[str, Any]:
        self._check_duplicates(node, path)
        try:
            self._loader.flatten_mapping(node)
        except yaml.constructor.ConstructorError as error:
            self._report(node, path, NOTHING, error.problem or "a mapping after <<", "name a mapping with *alias")
        return {
            str(key.value): self.build(value, (*path, str(key.value)))
            for key, value in node.value
            if isinstance(key, yaml.ScalarNode) and key.tag != MERGE_TAG
        }

    def _check_duplicates(self, node: yaml.MappingNode, path: FieldPath) -> None:
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._report(key, path, NOTHING, "a key that is a text", "do not use a list or mapping as a key")
                continue
            here = (*path, key.value)
            if key.tag not in (STRING_TAG, MERGE_TAG):
                remedy = f'write it in quotes: "{key.value}"'
                self._report(key, here, Told(shorten(key.value)), "a key that is a text", remedy)
            if key.value in lines:
                expected = f"each key once ({field_name(here)} stands on line {lines[key.value]} already)"
                self._report(key, here, key.value, expected, "remove one of them")
            lines.setdefault(key.value, key.start_mark.line + 1)

    def _scalar(self, node: yaml.Node, path: FieldPath) -> Any:
        try:
            value = self._loader.construct_object(node)
            if isinstance(value, int) and value.bit_length() >= MOST_BITS:
                return self._too_long(node, path)
        except (yaml.constructor.ConstructorError, ValueError):
            if node.tag == INT_TAG and len(node.value) > MOST_BITS:
                return self._too_long(node, path)
            expected = f"a plain value, not {node.tag.removeprefix('tag:yaml.org,2002:')}"
            self._report(node, path, node.value, expected, f'write it in quotes: "{node.value}"')
            return node.value
        if isinstance(value, float) and not math.isfinite(value):
            self._report(node, path, Told(shorten(node.value)), "a finite number", "write a number")
            return 0.0
        if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
            self._report(node, path, ascii(value), "text without half characters", "remove the \\u escape")
            return value.encode("utf-8", "replace").decode()
        return value

    def _too_long(self, node: yaml.Node, path: FieldPath) -> int:
        """Of more digits than Python reads at all, or than a table holds."""
        got = Told(f"{shorten(node.value)} ({len(node.value):,} characters)")
        self._report(
            node, path, got, f"a whole number below 2^{MOST_BITS - 1}", "write fewer digits, or put it in quotes"
        )
        return 0

    def _report(self, node: yaml.Node, path: FieldPath, got: Any, expected: str, remedy: str) -> None:
        problem = StudyError(path, got, expected, remedy)
        self.problems.append(problem.at(path, node.start_mark.line + 1))
