"""A table that somebody has, checked as a study without the study being written by hand.

Belongs here: from columns of pandas to a study file and its table. What is computed is the study's.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from python_assets.errors import StudyError, Told
from python_assets.library.results import Results
from python_assets.library.study import Study, run_file
from python_assets.study.control_types import ControlTypes, too_few, types_problem, types_proposal
from python_assets.study.problems import plural
from python_assets.warehouse.progress import duration

if TYPE_CHECKING:
    import pandas as pd

FRAME: Final = "the frame"
# measured on 1,000,000 rows of 50,000 prompts (docs/performance.md)
BYTES_OF_NONE, BYTES_A_ROW, SECONDS_A_ROW = 450e6, 6_800, 1.5e-4
MANY_ROWS: Final = 1_000_000
BINARY, CONTINUOUS = "binary", "continuous"
MARGIN_OF: Final = {BINARY: "risk_difference", CONTINUOUS: "mean_difference"}
PROMPT, MODEL, VALUE, FACTOR = "prompt", "model", "value", "factor_"


class _Columns(NamedTuple):
    """What a frame has: groups by the names of their factors."""

    groups: dict[str, str]
    prompt: str
    value: str
    model: str | None

    @property
    def all(self) -> list[str]:
        return [*self.groups.values(), self.prompt, self.value, *([self.model] if self.model else [])]


def check(
    frame: "pd.DataFrame",
    *,
    group: str | Sequence[str],
    prompt: str,
    value: str,
    model: str | None = None,
    margin: float | None = None,
    negative_controls: Mapping[Any, str] | Sequence[Any] = (),
    name: str = "check",
    folder: str | Path | None = None,
    report: str | Path | None = None,
    quiet: bool = False,
) -> Results:
    """Test whether groups differ in a value, prompt by prompt, as the report of a study would say it.

    It runs in this process and leaves nothing behind. With `folder` it is a study that `plumbline run` runs, kept with
    its report and its history.

    Args:
        frame: one row an answer. Several rows of one prompt, group and model are repeated answers. A missing value is
            an answer without one, and is counted.
        group: the column that says which group an answer is about, or several, each compared by itself.
        prompt: the column that says which question it answers; the same question of several groups is a pair.
        value: the column that is compared: numbers, or True and False (1 and 0 alike).
        model: the column that says who answered; one model where None.
        margin: the least difference that matters, in units of the value. Without it nothing has a margin, the impact
            ratio not either: a difference may be shown but not how much it matters.
        negative_controls: values of `group` that cannot matter, such as the colour of a car, each with its type:
            {"car-red": "colour", "weather-rain": "weather"}. They are no groups: a difference of groups must be
            larger than theirs. Two values of one sentence are one type. A list leaves types open, and finds less.
        name: of the study, an identifier of which is made; in a folder a check of the same name is a further run.
        folder: where study, table and results are kept; they are in memory where None.
        report: the HTML file that a report is written to. With `folder` a report is in it anyway.
        quiet: whether nothing is said of how far it is.

    Returns:
        The results; printed they say what was found.

    Raises:
        StudyError: a column is not there or holds something else, there is one group, no prompt has two, or a control
            is no value of a group's column.
        PlumblineError: the run failed; the text has what it said last.
    """
    columns = _columns(frame, [group] if isinstance(group, str) else [*group], prompt, value, model)
    kind, controls = _kind(frame, columns), _control_types(negative_controls)
    group_rows = frame[~_control_rows(frame, columns, controls)] if controls else frame
    _require_pairs(group_rows, columns, len(controls))
    study = _study(group_rows, columns, kind, margin) | _controls_key(controls)
    table, study_id = _table(frame, columns), _study_id(name)
    _tell_size(len(frame), quiet=quiet)
    if controls and not quiet:
        _tell_controls(controls)
    if folder is not None:
        return _in_folder(study, table, study_id, Path(folder).absolute(), report, quiet=quiet)
    return _in_memory(study, table, study_id, report, quiet=quiet)


def _control_types(negative_controls: Mapping[Any, str] | Sequence[Any]) -> ControlTypes:
    """The type of each control by its name, None where they are not declared."""
    if isinstance(negative_controls, Mapping):
        types = {str(name): control_type for name, control_type in negative_controls.items()}
        for name, control_type in types.items():
            if not isinstance(control_type, str) or not control_type.strip():
                got = Told(f"no type of {name!r}")
                remedy = "name what it changes, such as colour or weather, or give a list of controls without types"
                raise StudyError("negative_controls", got, "a type of each control", remedy)
        return types
    names = list(map(str, [negative_controls] if isinstance(negative_controls, str) else negative_controls))
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise StudyError("negative_controls", Told(f"{twice[0]!r} twice"), "each control once")
    return dict.fromkeys(names)


def _control_rows(frame: "pd.DataFrame", columns: _Columns, controls: ControlTypes) -> "pd.Series[bool]":
    """Which rows are answers to controls.

    Raises:
        StudyError: a control is no value of a group's column.
    """
    import pandas as pd

    from python_assets.study.problems import unknown_name

    levels = [frame[column].astype(str) for column in columns.groups.values()]
    known = sorted(set().union(*(of.unique() for of in levels)))
    if unknown := [name for name in controls if name not in known]:
        kind = f"a value of {' or '.join(map(repr, columns.groups.values()))}"
        raise unknown_name(("negative_controls",), unknown[0], kind, known, "correct it")
    return pd.concat([of.isin([*controls]) for of in levels], axis=1).any(axis=1)


def _controls_key(controls: ControlTypes) -> dict[str, Any]:
    """The key of the study file: types by level, or levels alone."""
    if not controls:
        return {}
    has_types = None not in controls.values()
    return {"negative_controls": {"levels": dict(controls) if has_types else [*controls]}}


def _tell_controls(controls: ControlTypes) -> None:
    """Tell that they are too few; propose types where none are declared; tell two of one sentence that have two."""
    from python_assets.infer.formulas.negative_controls import FEWEST_TYPES  # which imports scipy, a slow one

    for line in (too_few(controls, FEWEST_TYPES), types_proposal(controls), *types_problem(controls)):
        if line:
            print(f"negative_controls: {line}", file=sys.stderr, flush=True)


def _tell_size(n_rows: int, *, quiet: bool) -> None:
    """Refuse more rows than this machine's memory holds; of very many say what they take."""
    needed = BYTES_OF_NONE + BYTES_A_ROW * n_rows
    if needed > (there := os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")):
        got = Told(f"{n_rows:,} rows, which take some {needed / 1e9:.0f} GB")
        expected = f"what {there / 1e9:.0f} GB of memory hold"
        raise StudyError(FRAME, got, expected, "take a mean for each prompt, group and model")
    if n_rows >= MANY_ROWS and not quiet:
        message = f"{n_rows:,} rows: some {duration(SECONDS_A_ROW * n_rows)} and {needed / 1e9:.0f} GB of memory"
        print(message, file=sys.stderr, flush=True)


def _study_id(name: str) -> str:
    from python_assets.study.study import make_id

    if not (study_id := make_id(name)):
        raise StudyError("name", name, "a name with a letter")
    return study_id


def _in_folder(
    study: dict[str, Any], table: "pd.DataFrame", study_id: str, folder: Path, report: str | Path | None, *, quiet: bool
) -> Results:
    import shutil

    from python_assets.warehouse.build import Home

    path = _written(study, table, study_id, folder / "studies")
    results = run_file(Study.load(path).path, Home(folder), quiet=quiet)
    if report is not None:
        shutil.copyfile(results.report, report)
    return results


def _in_memory(
    study: dict[str, Any], table: "pd.DataFrame", study_id: str, report: str | Path | None, *, quiet: bool
) -> Results:
    from python_assets.importers.table import FILE, ROW_COLUMN, table_of_rows
    from python_assets.library.in_memory import run_in_memory
    from python_assets.study_file.load import load_study
    from python_assets.warehouse.progress import SILENT, Lines

    text = _yaml(study, study_id)
    loaded = load_study(Path(f"{study_id}.yml"), check_files=False, text=text)
    table[FILE], table[ROW_COLUMN] = _file_name(study_id), range(1, len(table) + 1)
    imported = table_of_rows(loaded, table, [], needs_levels=True)
    progress = SILENT if quiet else Lines(lambda line: print(line, file=sys.stderr, flush=True))
    results = run_in_memory(loaded, imported, progress)
    if report is not None:
        results.write_report(Path(report))
    return results


def _columns(frame: "pd.DataFrame", groups: list[str], prompt: str, value: str, model: str | None) -> _Columns:
    from python_assets.study.study import make_id
    from python_assets.texts.limits import MOST_CELLS

    named = [*groups, prompt, value, *([model] if model else [])]
    if missing := [column for column in named if column not in frame.columns]:
        got = Told(f"no column {', '.join(map(repr, missing))}")
        raise StudyError(FRAME, got, f"columns of {', '.join(map(str, frame.columns))}")
    if twice := [column for column in dict.fromkeys(named) if named.count(column) > 1]:
        raise StudyError(FRAME, Told(f"{twice[0]!r} for two things"), "a column of its own for group, prompt and value")
    if several := [column for column in named if not isinstance(frame.columns.get_loc(column), int)]:
        raise StudyError(FRAME, Told(f"several columns {several[0]!r}"), "columns of different names", "rename them")
    if len(frame) * len(named) > MOST_CELLS:
        got = Told(f"{len(frame):,} rows of {len(named)} columns")
        raise StudyError(FRAME, got, f"at most {MOST_CELLS:,} cells", "take a mean for each prompt, group and model")
    ids = [make_id(str(column)) or f"group_{i}" for i, column in enumerate(groups, 1)]
    if len(set(ids)) < len(ids):
        raise StudyError(
            FRAME, Told(f"groups {', '.join(groups)}"), "names that differ in letters and digits", "rename"
        )
    for column in (one for one in named if one != value):
        if n := int(frame[column].isna().sum()):
            got = Told(f"{n:,} of {len(frame):,} rows without {column!r}")
            raise StudyError(FRAME, got, "it in every row", "leave those rows out, or give them a level")
    return _Columns(dict(zip(ids, groups, strict=True)), prompt, value, model)


def _kind(frame: "pd.DataFrame", columns: _Columns) -> str:
    """Whether the value is 1 or 0, or any number."""
    import numpy as np
    from pandas.api.types import infer_dtype, is_complex_dtype, is_numeric_dtype

    values = frame[columns.value]
    known = values.dropna()
    if known.empty:
        raise StudyError(FRAME, Told(f"no value in {columns.value!r}"), "numbers, or True and False")
    if is_complex_dtype(values) or not (is_numeric_dtype(values) or infer_dtype(known) == "boolean"):
        other = next((one for one in known if not isinstance(one, int | float)), known.iloc[0])
        expected = f"numbers, or True and False, in {columns.value!r}"
        raise StudyError(FRAME, other, expected, "say which of its values is 1: frame[column] == 'yes'")
    numbers = known.astype(float)
    if not np.isfinite(numbers).all():
        raise StudyError(FRAME, Told(f"infinite values in {columns.value!r}"), "finite numbers")
    return BINARY if numbers.isin((0.0, 1.0)).all() else CONTINUOUS


def _require_pairs(frame: "pd.DataFrame", columns: _Columns, n_controls: int) -> None:
    """Refuse groups that cannot be compared: what differs between them would be their prompts.

    Args:
        frame: its rows of groups, without those of controls.
        columns: what it has.
        n_controls: controls that were taken from its groups.
    """
    taken = f" beside {plural(n_controls, 'negative control')}" if n_controls else ""
    for column in columns.groups.values():
        if (n_groups := frame[column].nunique()) < 2:
            got = Told(f"{plural(n_groups, 'group')} in {column!r}{taken}")
            raise StudyError(FRAME, got, "two groups or more")
        if frame.groupby(columns.prompt)[column].nunique().max() < 2:
            got = Told(f"no {columns.prompt!r} that two groups of {column!r} answer")
            remedy = "give the same question of several groups one name"
            raise StudyError(FRAME, got, "prompts that are asked of two groups or more", remedy)


def _study(frame: "pd.DataFrame", columns: _Columns, kind: str, margin: float | None) -> dict[str, Any]:
    from python_assets.study.study import make_id

    measure = make_id(columns.value) or VALUE
    levels = {name: sorted(frame[column].astype(str).unique()) for name, column in columns.groups.items()}
    # whoever hands in a table and no margin has declared none: the documents' would be of no choice of theirs
    analysis: dict[str, Any] = {"primary": {"measures": [measure]}, "default_margins": False}
    if margin is not None:
        if isinstance(margin, bool) or not isinstance(margin, int | float):
            raise StudyError("margin", margin, "a number, in units of the value")
        analysis["margins"] = {measure: {MARGIN_OF[kind]: float(margin)}}
    model_columns = {"system": MODEL} if columns.model else {}
    factors = {name: f"{FACTOR}{name}" for name in columns.groups}
    return {
        "title": f"{columns.value} by {', '.join(columns.groups.values())}",
        "factors": {name: {"type": "domain", "levels": of} for name, of in levels.items()},
        "prompts": {
            "import": {
                "path": "",
                "columns": {
                    "prompt": [PROMPT, *factors.values()],
                    "root_prompt": PROMPT,
                    **model_columns,
                    "replicate": "auto",
                },
                "factors": factors,
            }
        },
        "systems": [{"name": "*" if columns.model else MODEL, "provider": "replay"}],
        "measures": [{"name": measure, "kind": kind, "column": VALUE}],
        "groupings": [*columns.groups],
        "analysis": analysis,
    }


def _table(frame: "pd.DataFrame", columns: _Columns) -> "pd.DataFrame":
    """What of a frame the study reads, by the names that the study knows."""
    import pandas as pd

    texts = {PROMPT: columns.prompt, **{f"{FACTOR}{name}": column for name, column in columns.groups.items()}}
    if columns.model:
        texts[MODEL] = columns.model
    table = pd.DataFrame({new: frame[column].astype(str) for new, column in texts.items()})
    table[VALUE] = frame[columns.value].astype("Float64")
    return table.reset_index(drop=True)


def _file_name(study_id: str) -> str:
    return f"{study_id}.parquet"


def _yaml(study: dict[str, Any], study_id: str) -> str:
    import yaml

    study["prompts"]["import"]["path"] = _file_name(study_id)
    return yaml.safe_dump(study, sort_keys=False, allow_unicode=True)


def _written(study: dict[str, Any], table: "pd.DataFrame", study_id: str, folder: Path) -> Path:
    """Write the study and, beside it, its table."""
    path = folder / f"{study_id}.yml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        table.to_parquet(folder / _file_name(study_id), index=False)
        path.write_text(_yaml(study, study_id), encoding="utf-8")
    except OSError as error:
        raise StudyError(
            folder, Told(error.strerror), "a folder that can be written", "name another one: folder="
        ) from error
    return path
