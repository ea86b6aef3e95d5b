"""The import of a study file: an existing benchmark or run, in one of the formats that importers register.

Belongs here: what every format has. The options of one stand beside its importer, in importers/.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, Field, PrivateAttr, StrictStr, model_validator

from python_assets.registry import Registry
from python_assets.study.base import Columns, Expanded, FactorName, Part, PromptTask, Unfit, stated_fields
from python_assets.study.problems import suggestion

TABLE: Final = "table"

IMPORT_OPTIONS: "Final[Registry[type[Import]]]" = Registry("import format", "python_assets.importers.formats")


def _check_format(name: str) -> str:
    if name not in IMPORT_OPTIONS:
        names = list(IMPORT_OPTIONS)
        remedy = suggestion(name, names, "write one of them")
        raise Unfit(f"one of {', '.join(map(repr, names))}", remedy)
    return name


class ImportColumns(Part):
    """Columns of the imported table; only prompt is required. replicate: a column, or auto to number rows.

    messages: conversations, whose last message is the prompt's text where prompt_text names no column of it, else all
    of them stand before that text. system: each column of a list is a factor of models, and a generation has a
    level of each.
    """

    prompt: Columns
    root_prompt: Columns | None = None
    replicate: StrictStr | None = None
    messages: StrictStr | None = None
    prompt_text: StrictStr | None = None
    baseline_text: StrictStr | None = None
    response: StrictStr | None = None
    system: Columns | None = None

    @property
    def tells_texts(self) -> bool:
        """Whether the table has the texts of prompts."""
        return self.prompt_text is not None or self.messages is not None


class Import(Part):
    """An existing benchmark or run, as everything but its importer reads it.

    format: the name of an importer, whose options are a subclass of this. path: a file or pattern, or
    several. columns, factors: what stands where; other formats than the table's say so themselves.
    """

    format: Annotated[StrictStr, AfterValidator(_check_format)] = TABLE
    path: Expanded | Annotated[list[Expanded], Field(min_length=1)]
    columns: ImportColumns = ImportColumns(prompt="prompt_id")
    factors: dict[FactorName, StrictStr] = {}
    task: PromptTask = "question"
    _units: dict[str, list[str]] = PrivateAttr(default_factory=dict)  # no key of study files

    @property
    def units(self) -> dict[str, list[str]]:
        """The factors whose levels are units of some prompts, each with those that units are nested in."""
        return self._units

    def with_units(self, units: Mapping[str, Sequence[str]]) -> Self:
        """The import with the units that its format told, as `units` gives them."""
        described = self.model_copy()
        described._units = {name: list(nested_in) for name, nested_in in units.items()}
        return described

    @property
    def paths(self) -> list[str]:
        """Every file or pattern, in order."""
        return [self.path] if isinstance(self.path, str) else self.path

    @property
    def sheets(self) -> Sequence[str | None]:
        """The sheets to read of each file; None is its only one, or the first."""
        return [None]

    @property
    def columns_of_models(self) -> dict[str, str]:
        """The factor of models that each of several generation columns is, to the column.

        It is called what factors call it, else what the column is called.
        """
        columns = self.columns.system
        if columns is None or isinstance(columns, str):
            return {}
        names = {column: name for name, column in self.factors.items()}
        return {names.get(column, column): column for column in columns}


class DescribedImport(Import):
    """The options of a format that says itself what its columns are."""

    @model_validator(mode="after")
    def _no_columns(self) -> "DescribedImport":
        if stated_fields(self) & {"columns", "factors", "task"}:
            raise Unfit(f"no columns, factors or task: format {self.format} has them", "remove them")
        return self


class _AnyFormat(Part):
    """The format alone, which says what else there may be."""

    format: Annotated[StrictStr, AfterValidator(_check_format)] = TABLE


def options_of(data: dict[str, Any]) -> type[Import]:
    """The options of the format that the import of a study file names.

    Raises:
        ValidationError: there is no such format.
    """
    return IMPORT_OPTIONS[_AnyFormat.model_validate({"format": data.get("format", TABLE)}).format]
