"""The parts of a study file, each validated by itself so that one mistake does not hide another.

Belongs here: raw data to pydantic parts. A part with mistakes is mended as far as can be, only to check the
rest of the file against it: the mistakes are reported and the mended part is never used.
"""

from typing import Annotated, Any, NamedTuple

from pydantic import Field, StrictStr, TypeAdapter, ValidationError

from python_assets.errors import NOTHING, FieldPath, StudyError
from python_assets.study.base import Expanded
from python_assets.study.budget import Budget, TokenPrice
from python_assets.study.negative_controls import NegativeControls
from python_assets.study.problems import nearest, suggestion
from python_assets.study.report_options import ReportOptions
from python_assets.study.study import (
    KEEP,
    AnalysisSpec,
    Embedding,
    Encoding,
    Factor,
    FactorName,
    GroupingSpec,
    HumanLabels,
    Level,
    MeasureSpec,
    PairLabels,
    Prompts,
    SystemSpec,
    Vectors,
)
from python_assets.study.waves import Waves
from python_assets.study_file.pydantic_errors import PydanticError, fields_at, findings_of, problems_of
from python_assets.study_file.yaml_lines import StudyFile

LABEL_KEYS = ("human_labels", "pair_labels")
_KEYS = (
    "study",
    "title",
    "domain",
    "factors",
    "unit",
    "baseline",
    "prompts",
    "negative_controls",
    "systems",
    "embedding",
    "measures",
    *LABEL_KEYS,
    "slices",
    "groupings",
    "analysis",
    "keep",
    "budget",
    "prices",
    "report",
    "waves",
)
_REQUIRED = ("prompts", "systems")
DEFAULT_MEASURES: list[Any] = ["vader"]
_MOST_ROUNDS = 8
_REMOVED = object()

Conditions = Annotated[dict[FactorName, Level | Annotated[list[Level], Field(min_length=1)]], Field(min_length=1)]
FactorList = Annotated[list[FactorName], Field(min_length=1)]


class Parts(NamedTuple):
    """What a study file says, part by part; what was not to be understood is absent.

    Lists of the file are mappings here, from the path of an item to the item. unread: the paths of what has
    mistakes; a default may stand in its place. wave: that of generations that declare none; in_wave.py says which.
    """

    study: str | None
    title: str | None
    domain: str
    factors: dict[str, Factor]
    unit: str | None
    baseline: str | None
    prompts: Prompts | None
    negative_controls: NegativeControls | None
    systems: dict[FieldPath, SystemSpec]
    embedding: Embedding | None
    measures: dict[FieldPath, MeasureSpec]
    human_labels: dict[FieldPath, HumanLabels]
    pair_labels: dict[FieldPath, PairLabels]
    each: str | None
    slices: dict[str, dict[str, str | list[str]]]
    groupings: dict[FieldPath, str | list[str] | GroupingSpec]
    analysis: AnalysisSpec
    keep: int
    budget: Budget | None
    prices: dict[str, TokenPrice]
    report: ReportOptions
    waves: Waves | None
    wave: str = ""
    unread: frozenset[FieldPath] = frozenset()


class PartReader:
    """Reads part after part of one file and collects what is wrong with them."""

    def __init__(self, file: StudyFile, context: str | None = None) -> None:
        """Take a file; context AS_WRITTEN leaves ${NAME} as it is."""
        self.problems: list[StudyError] = []
        self._file = file
        self._context = context
        self._kept: dict[FieldPath, list[int]] = {}
        self._written: dict[str, str] = {}
        self._data = self._known_keys()

    def read(self) -> Parts:
        """Every part of the file."""
        slices = self._entries("slices")
        each = slices.pop("each", NOTHING)
        return Parts(
            study=self._section("study", StrictStr, None),
            title=self._section("title", StrictStr, None),
            domain=self._section("domain", StrictStr, ""),
            factors=self._section("factors", dict[FactorName, Factor], {}),
            unit=self._section("unit", FactorName, None),
            baseline=self._section("baseline", StrictStr, None),
            prompts=self._section("prompts", Prompts, None),
            negative_controls=self._section("negative_controls", NegativeControls, None),
            systems=self._items("systems", SystemSpec, []),
            embedding=self._section("embedding", self._kind_of_embedding(), None),
            measures=self._items("measures", MeasureSpec, DEFAULT_MEASURES),
            human_labels=self._items("human_labels", HumanLabels, []),
            pair_labels=self._items("pair_labels", PairLabels, []),
            each=None if each is NOTHING else self._part(FactorName, each, ("slices", "each")),
            slices=self._slices(slices),
            groupings=self._groupings(),
            analysis=self._section("analysis", AnalysisSpec, AnalysisSpec()) or AnalysisSpec(),
            keep=self._section("keep", Annotated[int, Field(ge=1, strict=True)], KEEP),
            budget=self._section("budget", Budget, None),
            prices=self._section("prices", dict[StrictStr, TokenPrice], {}),
            report=self._section("report", ReportOptions, ReportOptions()),
            waves=self._section("waves", Waves, None),
        )._replace(unread=frozenset(problem.where for problem in self.problems))

    def _kind_of_embedding(self) -> Any:
        """The one form that a mapping is meant in, so that its mistakes are told of that form alone."""
        written = self._data.get("embedding")
        if not isinstance(written, dict):
            return Expanded
        return Vectors if "vectors" in written else Encoding

    def original_path(self, path: FieldPath) -> FieldPath:
        """The path in the file of something in a mended part, whose lists may have become shorter."""
        original: FieldPath = ()
        for step in path:
            kept = self._kept.get(original)
            moved = kept is not None and isinstance(step, int) and step < len(kept)
            original = (*original, kept[step] if moved else step)  # type: ignore[index]
        return original

    def as_written(self, problem: StudyError) -> StudyError:
        """A problem at the key that the file has, where that is another one than was meant."""
        key, *rest = problem.where or ("",)
        return problem.at((self._written[str(key)], *rest)) if key in self._written else problem

    def _known_keys(self) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key, value in self._file.data.items():
            if key not in _KEYS:
                remedy = suggestion(key, _KEYS, "remove it")
                self.problems.append(StudyError((key,), key, f"one of the keys {', '.join(_KEYS)}", remedy))
                meant = nearest(key, set(_KEYS) - set(self._file.data)) or key
                data.setdefault(meant, value)
                self._written.setdefault(meant, key)
            else:
                data[key] = value
        for key in _REQUIRED:
            if key not in data:
                self.problems.append(StudyError((key,), NOTHING, "a value", f"add {key}:"))
        return data

    def _section(self, key: str, kind: Any, default: Any) -> Any:
        if key not in self._data:
            return default
        value = self._part(kind, self._data[key], (key,))
        return default if value is None else value

    def _items(self, key: str, kind: Any, default: list[Any]) -> dict[FieldPath, Any]:
        data = self._data.get(key, default)
        if not isinstance(data, list) or (not data and key in self._data):
            self._part(Annotated[list[Any], Field(min_length=1)], data, (key,))
            return {}
        paths: list[FieldPath] = [(key, index) for index in range(len(data))]
        sections = [(path, self._part(kind, item, path)) for path, item in zip(paths, data, strict=True)]
        return {path: section for path, section in sections if section is not None}

    def _entries(self, key: str) -> dict[str, Any]:
        return dict(self._part(dict[str, Any], self._data.get(key, {}), (key,)) or {})

    def _slices(self, entries: dict[str, Any]) -> dict[str, dict[str, str | list[str]]]:
        conditions = {name: self._part(Conditions, entry, ("slices", name)) for name, entry in entries.items()}
        return {name: condition for name, condition in conditions.items() if condition is not None}

    def _groupings(self) -> dict[FieldPath, str | list[str] | GroupingSpec]:
        data = self._data.get("groupings", [])
        if isinstance(data, dict):
            grouping = self._part(GroupingSpec, data, ("groupings",))
            return {} if grouping is None else {("groupings",): grouping}
        if not isinstance(data, list) or not data:
            return self._items("groupings", Any, [])
        groupings: dict[FieldPath, str | list[str] | GroupingSpec] = {}
        for index, item in enumerate(data):
            kind = _grouping_kind(item)
            grouping = self._part(kind, item, ("groupings", index))
            if grouping is not None:
                groupings["groupings", index] = grouping
        return groupings

    def _part(self, kind: Any, data: Any, path: FieldPath) -> Any:
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        for attempt in range(_MOST_ROUNDS):
            try:
                return adapter.validate_python(data, context=self._context)
            except ValidationError as error:
                findings = findings_of(error.errors(include_url=False), data)
            if attempt == 0:
                self.problems += problems_of(findings, kind, path, self._file)
            data = self._mended(data, findings, kind, path, may_shorten=attempt == 0)
            if data is _REMOVED:
                return None
        return None

    def _mended(self, data: Any, findings: list[PydanticError], kind: Any, path: FieldPath, may_shorten: bool) -> Any:
        changes: dict[FieldPath, Any] = {}
        for finding in findings:
            where, value = self._mending(finding, data, kind, path)
            inside_list = bool(where) and isinstance(where[-1], int)
            if value is _REMOVED and inside_list and not may_shorten:
                where = where[:-1]
            changes[where] = value
        return self._changed(data, (), changes, path)

    def _mending(self, finding: PydanticError, data: Any, kind: Any, path: FieldPath) -> tuple[FieldPath, Any]:
        where = finding.path
        if finding.type == "missing":
            return where[:-1], _REMOVED
        if finding.type == "string_type" and (written := self._file.written((*path, *where))):
            return where, written
        if finding.type == "extra_forbidden":
            present = _keys_at(data, where[:-1])
            near = nearest(where[-1], set(fields_at(kind, where[:-1], data)) - present)
            return where, _Renamed(near) if near else _REMOVED
        return where, _REMOVED

    def _changed(self, data: Any, here: FieldPath, changes: dict[FieldPath, Any], path: FieldPath) -> Any:
        change = changes.get(here, NOTHING)
        if change is not NOTHING and not isinstance(change, _Renamed):
            return change
        if isinstance(data, dict):
            entries = {
                _key(key, changes.get((*here, key))): self._changed(value, (*here, key), changes, path)
                for key, value in data.items()
            }
            return {key: value for key, value in entries.items() if value is not _REMOVED}
        if isinstance(data, list):
            items = [self._changed(item, (*here, index), changes, path) for index, item in enumerate(data)]
            kept = [index for index, item in enumerate(items) if item is not _REMOVED]
            if len(kept) < len(items):
                self._kept[(*path, *here)] = kept
            return [items[index] for index in kept]
        return data


def _grouping_kind(item: Any) -> Any:
    if isinstance(item, dict):
        return GroupingSpec
    return FactorList if isinstance(item, list) else FactorName


class _Renamed(NamedTuple):
    """A misspelled key, read as the one that was meant."""

    name: str


def _key(key: str, change: Any) -> str:
    return change.name if isinstance(change, _Renamed) else key


def _keys_at(data: Any, path: FieldPath) -> set[str]:
    for step in path:
        data = data[step]
    return set(data)
