"""The real shares that a measure is held against, in the words of the study: its labels and its groups.

Belongs here: which label means which category, which group of the study which group of the table, and the raw
rows of both. Reading the table is importers/truth_tables.py; the comparison is dbt's and infer's.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

import duckdb
import pandas as pd

from python_assets.errors import NOTHING, FieldPath, StudyError
from python_assets.extract.measure_problems import default_kind
from python_assets.importers.truth_tables import TruthTable, read_truth_table
from python_assets.study.base import LEVEL_SEPARATOR, grouping_id
from python_assets.study.ground_truth import GroundTruth, packaged_labels, packaged_tables
from python_assets.study.problems import listed, unknown_name
from python_assets.study.study import MeasureSpec, Study, make_id
from python_assets.texts.words import normalise
from python_assets.warehouse.raw_tables import columns_of

Grouped = Mapping[tuple[str, ...], Sequence[str]]
"""The groups of each grouping of the study, as far as they are known."""
FIELD: Final = "ground_truth"
_LEVELS: Final = (
    "select factor, list(distinct level order by level) from raw.prompt_factors where study_id = ? group by factor"
)


class TruthPairing(NamedTuple):
    """What of the study means what of the table; None: left out, by the study file or for want of a name."""

    labels: Mapping[str, str | None]
    groups: Mapping[str, str | None]


class TruthGrouping(NamedTuple):
    """A measure that is held against real shares, and where; parameters: which, as questions have it."""

    measure_id: str
    grouping_id: str
    parameters: str


def group_ids(factors: Sequence[str], levels: Mapping[str, Sequence[str]]) -> list[str]:
    """The groups of a grouping; none where the levels of some factor are not known."""
    if not all(levels.get(name) for name in factors):
        return []
    return [LEVEL_SEPARATOR.join(group) for group in product(*(levels[name] for name in factors))]


def paired(truth: GroundTruth, table: TruthTable, labels: Iterable[str], groups: Iterable[str]) -> TruthPairing:
    """Find the category of every label and the group of the table of every group.

    A name that the study file maps is what it says; another is the category or group of that name, or the
    packaged one's other name, case and blanks aside.

    Args:
        truth: the entry.
        table: its table.
        labels: of the measure.
        groups: of the grouping.
    """
    other_names = packaged_labels().get(truth.table or "", {})
    return TruthPairing(
        _matched(labels, table.categories, {**other_names, **truth.mapping}, truth.without),
        _matched(groups, table.groups, truth.groups, truth.without),
    )


def _matched(
    names: Iterable[str], known: Sequence[str], other_names: Mapping[str, str], without: Sequence[str]
) -> dict[str, str | None]:
    by_name = {normalise(name): name for name in known}
    known_names = {
        **dict.fromkeys(map(normalise, without)),
        **by_name,
        **{normalise(name): by_name.get(normalise(of)) for name, of in other_names.items()},
    }
    return {name: known_names.get(normalise(name)) for name in names}


def factors_of(truth: GroundTruth, table: TruthTable, groupings: Grouped) -> tuple[str, ...] | None:
    """The grouping whose groups are the table's; None where the study names none and not one alone fits."""
    if truth.factors is not None:
        return truth.factors
    fitting = [
        factors
        for factors, groups in groupings.items()
        if set(paired(truth, table, (), groups).groups.values()) - {None} == set(table.groups)
    ]
    return fitting[0] if len(fitting) == 1 else None


def truth_problems(path: FieldPath, spec: MeasureSpec, groupings: Collection[tuple[str, ...]]) -> Iterator[StudyError]:
    """What of an entry can be told before its table is read.

    Args:
        path: of the measure.
        spec: the measure.
        groupings: of the study.
    """
    truth = spec.ground_truth
    if truth is None:
        return
    where = (*path, FIELD)
    if (kind := spec.kind or default_kind(spec)) != "categorical":
        expected = "a categorical measure, whose labels are the categories of the table"
        yield StudyError(where, kind, expected, "remove ground_truth, or measure labels")
    if truth.table is not None and truth.table not in packaged_tables():
        remedy = "name a file of your own: path:"
        yield unknown_name((*where, "table"), truth.table, "a packaged table", list(packaged_tables()), remedy)
    if truth.factors is not None and truth.factors not in groupings:
        known = [grouping_id(factors) for factors in groupings]
        yield unknown_name(
            (*where, "grouping"), grouping_id(truth.factors), "a grouping of the study", known,
            "declare it under groupings:",
        )  # fmt: skip


def name_problems(path: FieldPath, spec: MeasureSpec, table: TruthTable, groupings: Grouped) -> Iterator[StudyError]:
    """What of an entry does not fit the table that it names.

    Args:
        path: of the measure.
        spec: the measure, of which truth_problems tells nothing.
        table: of its ground truth.
        groupings: of the study.
    """
    truth, where = spec.ground_truth, (*path, FIELD)
    if truth is None:
        return
    for field, word, given, known in (
        ("mapping", "category", truth.mapping, table.categories),
        ("groups", "group", truth.groups, table.groups),
    ):
        folded = {normalise(name) for name in known}
        for name, of in given.items():
            if normalise(of) not in folded:
                expected = f"a {word} of {table.name}"
                yield unknown_name((*where, field, name), of, expected, known, "remove it")
    factors = factors_of(truth, table, groupings)
    if factors is None:
        expected = f"grouping, the one whose groups are {listed(table.groups)} of {table.name}"
        names = listed(grouping_id(factors) for factors in groupings)
        yield StudyError(where, truth.model_dump(exclude_defaults=True), expected, f"add it: one of {names}")
        return
    pairing = paired(truth, table, spec.labels, groupings[factors])
    yield from _unpaired((*where, "mapping"), "label", truth, pairing.labels, table.categories)
    yield from _unpaired((*where, "groups"), "group", truth, pairing.groups, table.groups)
    there = set(pairing.groups.values())
    if there and (absent := [group for group in table.groups if group not in there]):
        of = grouping_id(factors)
        expected = f"a group of {of} for each of {table.name}, which has {listed(absent)} too"
        yield StudyError((*where, "groups"), truth.groups, expected, "map a group to it, or remove its rows")
    yield from _there_all_the_same((*where, "without"), truth, table)
    yield from _strange((*where, "mapping"), "label", truth.mapping, spec.labels)
    yield from _strange((*where, "groups"), "group", truth.groups, groupings[factors])


def _unpaired(
    where: FieldPath, word: str, truth: GroundTruth, found: Mapping[str, str | None], known: Sequence[str]
) -> Iterator[StudyError]:
    """Names of the study that stand for nothing in the table, and are not left out."""
    left_out = {normalise(name) for name in truth.without}
    for name, of in found.items():
        if of is None and normalise(name) not in left_out:
            expected = f"what {word} {name!r} is there: one of {listed(known)}"
            given = dict(getattr(truth, str(where[-1])))
            yield StudyError(where, given, expected, f"add it, or write {name!r} under without:")


def _there_all_the_same(where: FieldPath, truth: GroundTruth, table: TruthTable) -> Iterator[StudyError]:
    """Names left out for want of the table's, which has them."""
    known = {normalise(name): name for name in (*table.categories, *table.groups)}
    for index, name in enumerate(truth.without):
        if (there := known.get(normalise(name))) is not None:
            expected = f"a label or group that {table.name} lacks; it has {there!r}"
            yield StudyError((*where, index), name, expected, "remove it")


def _strange(where: FieldPath, word: str, given: Mapping[str, str], names: Sequence[str]) -> Iterator[StudyError]:
    """Mapped names that the study lacks, where its own are known."""
    normalised_names = {normalise(name) for name in names}
    for name in given if names else ():
        if normalise(name) not in normalised_names:
            yield unknown_name((*where, name), name, f"a {word} of the study", names, "remove it")


def truth_rows(
    study: Study, connection: duckdb.DuckDBPyConnection, labels: Mapping[str, Sequence[str]]
) -> dict[str, pd.DataFrame]:
    """The rows of raw.ground_truths and raw.ground_truth_labels.

    Args:
        study: the study.
        connection: its build file, with raw.prompt_factors.
        labels: that responses got, by measure.

    Raises:
        SourceError, StudyError: as read_truth_table; or no group of the study is one of the table.
    """
    groupings = _groups_of_groupings(study, connection)
    shares, names = [], []
    for truth, field, factors, table, measure_id in _truths(study, groupings):
        pairing = paired(truth, table, labels.get(measure_id, ()), groupings[factors])
        if not any(pairing.groups.values()):
            expected = f"a group of {grouping_id(factors)} for one of {table.name}: {listed(table.groups)}"
            raise StudyError((*field, "groups"), truth.groups or NOTHING, expected, "map them under groups:")
        keys = {"measure_id": measure_id, "grouping_id": grouping_id(factors)}
        shares.append(_share_rows(table, pairing.groups).assign(**keys))
        names += [(measure_id, label, category) for label, category in pairing.labels.items()]
    return {
        "ground_truths": pd.concat(shares, ignore_index=True) if shares else pd.DataFrame(),
        "ground_truth_labels": pd.DataFrame(names, columns=columns_of("ground_truth_labels")),
    }


def truth_groupings(study: Study, connection: duckdb.DuckDBPyConnection) -> list[TruthGrouping]:
    """The measures of a study that are held against real shares, and by which grouping.

    Args, Raises: as truth_rows.
    """
    groupings = _groups_of_groupings(study, connection)
    return [
        TruthGrouping(measure_id, grouping_id(factors), table.parameters)
        for _, _, factors, table, measure_id in _truths(study, groupings)
    ]


def _groups_of_groupings(study: Study, connection: duckdb.DuckDBPyConnection) -> dict[tuple[str, ...], list[str]]:
    observed = dict(connection.execute(_LEVELS, [study.study_id]).fetchall())
    declared = {name: factor.levels for name, factor in study.factors.items() if factor.levels}
    return {one: group_ids(one, {**observed, **declared}) for one in study.groupings}


def _truths(
    study: Study, groupings: Grouped
) -> Iterator[tuple[GroundTruth, FieldPath, tuple[str, ...], TruthTable, str]]:
    """Every entry with its field, the factors of its grouping, its table and the measure."""
    for position, spec in enumerate(study.measures):
        if spec.ground_truth is None:
            continue
        field = (study.path, "measures", position, FIELD)
        table = read_truth_table(study.folder, spec.ground_truth, field)
        factors = factors_of(spec.ground_truth, table, groupings)
        if factors is None:
            expected = f"the grouping that has the groups {listed(table.groups)}"
            raise StudyError((*field, "grouping"), NOTHING, expected, "add grouping:")
        yield spec.ground_truth, field, factors, table, make_id(spec.name)


def _share_rows(table: TruthTable, groups: Mapping[str, str | None]) -> pd.DataFrame:
    """The table in the words of the study; several of its groups that are one of the table have its share."""
    named = pd.DataFrame([(name, of) for name, of in groups.items() if of], columns=["group_id", "group"])
    rows = table.rows.assign(category_position=table.rows.category.map(table.categories.index))
    rows = rows.merge(named, on="group").rename(columns={"count": "n_persons"})
    return rows.drop(columns="group").assign(
        parameters=table.parameters, period=table.period, source=table.source, licence=table.licence
    )
