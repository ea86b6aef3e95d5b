"""What pydantic found, as problems: its errors in the words of a study file's user.

Belongs here: from an error's type to what was expected and what to do. Paths lose the names of union members
that pydantic puts in them, and several errors about one value become one problem.
"""

import re
from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from python_assets.errors import NOTHING, FieldPath, StudyError, Told, shorten
from python_assets.study.base import Unfit
from python_assets.study.imports import IMPORT_OPTIONS, TABLE, Import
from python_assets.study.problems import suggestion
from python_assets.study_file.yaml_lines import StudyFile

WRONG_TYPES = {
    "missing": "a value",
    "string_type": "a text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
}
BOUNDS = {
    "too_short": ("at least {} in the list", "min_length"),
    "too_long": ("at most {} in the list", "max_length"),
    "greater_than": ("a number greater than {:g}", "gt"),
    "greater_than_equal": ("a number greater than or equal to {:g}", "ge"),
    "less_than": ("a number less than {:g}", "lt"),
    "less_than_equal": ("a number less than or equal to {:g}", "le"),
}
_REMEDIES = {
    "list_type": "write it in brackets, [a, b], or as lines with a dash",
    "tuple_type": "write it in brackets: [low, high]",
    "dict_type": "write lines of key: value",
    "model_type": "write lines of key: value",
    "int_type": "write a number, without quotes",
    "int_from_float": "round it",
    "int_parsing": "write a number, without quotes",
    "float_type": "write a number, without quotes",
    "bool_type": "write true or false",
    **dict.fromkeys(("greater_than", "greater_than_equal"), "choose another number"),
    **dict.fromkeys(("less_than", "less_than_equal"), "choose another number"),
}


class PydanticError(NamedTuple):
    """An error of pydantic with its path in the file; about_key: the key itself is wrong, not its value."""

    path: FieldPath
    type: str
    about_key: bool
    error: ErrorDetails


def findings_of(errors: list[ErrorDetails], data: Any) -> list[PydanticError]:
    """Errors with paths that exist in the data, without those that only say which union member failed."""
    findings = [_finding(error, data) for error in errors]
    paths = [finding.path for finding in findings]

    def is_about_another_member(finding: PydanticError) -> bool:
        deeper = any(len(p) > len(finding.path) and p[: len(finding.path)] == finding.path for p in paths)
        return finding.type != "missing" and finding.type in (*WRONG_TYPES, "literal_error") and deeper

    return [finding for finding in findings if not is_about_another_member(finding)]


def _finding(error: ErrorDetails, data: Any) -> PydanticError:
    path: list[str | int] = []
    current, about_key = data, False
    for step in error["loc"]:
        if _holds(current, step):
            current = current[step]
            path.append(step)
        about_key = about_key or step == "[key]"
    if error["type"] == "missing":
        path.append(error["loc"][-1])
    return PydanticError(tuple(path), error["type"], about_key, error)


def _holds(data: Any, step: object) -> bool:
    if isinstance(data, dict):
        return step in data
    return isinstance(data, list) and isinstance(step, int) and step < len(data)


def problems_of(findings: list[PydanticError], kind: Any, path: FieldPath, file: StudyFile) -> list[StudyError]:
    """One problem a value.

    Args:
        findings: what is wrong with one part of the file.
        kind: the type that the part should have.
        path: where the part stands.
        file: where values are looked up as they are spelled.
    """
    by_path: dict[FieldPath, list[PydanticError]] = {}
    for finding in findings:
        by_path.setdefault(finding.path, []).append(finding)
    return [_problem(group, kind, path, file) for group in by_path.values()]


def _problem(group: list[PydanticError], kind: Any, path: FieldPath, file: StudyFile) -> StudyError:
    first = group[0]
    where = (*path, *first.path)
    if first.type == "extra_forbidden":
        names = sorted(set(fields_at(kind, first.path[:-1], _at(file.data, path))))
        remedy = suggestion(first.path[-1], names, "remove it")
        return StudyError(where, first.path[-1], f"one of the keys {', '.join(names)}", remedy)
    written = None if first.about_key or first.type == "missing" else file.written(where)
    value = _value(first, written)
    expected = " or ".join(dict.fromkeys(_expected(finding) for finding in group))
    got = Told(shorten(written)) if written and not isinstance(value, str) else value
    problem = StudyError(where, got, expected, _remedy(group, value, written))
    problem.variable = getattr(_rule(first), "variable", None)
    return problem


def _rule(finding: PydanticError) -> Unfit | None:
    """What a validator of ours raised."""
    return finding.error["ctx"]["error"] if finding.type == "value_error" else None


def _value(finding: PydanticError, written: str | None) -> Any:
    if finding.type == "missing":
        return NOTHING
    if finding.about_key:
        return finding.path[-1]
    given = finding.error["input"]
    # a bare word that was read as a mapping shows as the word
    return written if written is not None and isinstance(given, dict) else given


def _expected(finding: PydanticError) -> str:
    error = finding.error
    if rule := _rule(finding):
        return rule.expected
    if finding.type in WRONG_TYPES:
        return WRONG_TYPES[finding.type]
    if finding.type in BOUNDS:
        words, bound = BOUNDS[finding.type]
        return words.format(error["ctx"][bound])
    if finding.type == "literal_error":
        names = _literals(error)
        return f"one of {', '.join(map(repr, names))}" if len(names) > 1 else repr(names[0])
    return str(error["msg"])


def _remedy(group: list[PydanticError], value: Any, written: str | None) -> str:
    first = group[0]
    if rule := _rule(first):
        return rule.remedy
    literal = next((finding for finding in group if finding.type == "literal_error"), None)
    if literal and (literal is first or isinstance(value, str)):  # a word, where a number or some words are allowed
        names = _literals(literal.error)
        return suggestion(value, names, "write one of them" if len(names) > 1 else f"write {names[0]}")
    if first.type == "missing":
        return f"add {first.path[-1]}:"
    if any(finding.type == "string_type" for finding in group):
        return _quote(value, written)
    return _REMEDIES.get(first.type, "correct it")


def _quote(value: Any, written: str | None) -> str:
    if written:
        return f'write it in quotes: "{written}"'
    return "write a text" if value is None else "write one text"


def _literals(error: ErrorDetails) -> list[str]:
    """The names of a Literal, which pydantic gives as one text: 'a', 'b' or 'c'."""
    return re.findall("'([^']*)'", error["ctx"]["expected"])


def fields_at(kind: Any, path: FieldPath, data: Any) -> Iterator[str]:
    """The keys that a study file may have at a path inside a part of the given type.

    Args:
        kind: of the part.
        path: inside it.
        data: the part as the file has it, which says the format of an import.
    """
    if get_origin(kind) in (Union, UnionType):
        for member in get_args(kind):
            yield from fields_at(member, path, data)
    elif get_origin(kind) is Annotated:
        yield from fields_at(get_args(kind)[0], path, data)
    elif get_origin(kind) in (list, dict) and path:
        yield from fields_at(get_args(kind)[-1], path[1:], _inside(data, path[0]))
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        yield from _model_fields_at(kind, path, data)


def _model_fields_at(kind: type[BaseModel], path: FieldPath, data: Any) -> Iterator[str]:
    if kind is Import and (name := _inside(data, "format") or TABLE) in IMPORT_OPTIONS:
        kind = IMPORT_OPTIONS[name]
    for name, field in kind.model_fields.items():
        key = field.alias or name
        if not path:
            yield key
        elif key == path[0]:
            yield from fields_at(field.annotation, path[1:], _inside(data, path[0]))


def _inside(data: Any, step: Any) -> Any:
    return data[step] if _holds(data, step) else None


def _at(data: Any, path: FieldPath) -> Any:
    for step in path:
        data = _inside(data, step)
    return data
