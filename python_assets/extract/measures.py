"""The measures of a study with every default filled in.

Belongs here: definitions only. Nothing is measured and no model is loaded. What a study file may not say of a
measure is measure_problems.py.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from python_assets.errors import StudyFileError
from python_assets.extract.licences import LICENCES
from python_assets.extract.measure_problems import default_kind, spec_problems
from python_assets.extract.scorer import Scorer, scorers
from python_assets.study.base import AS_WRITTEN_READING, SIMILARITY, UNDECIDED, UNDECIDED_AS_NO, UNSCORED
from python_assets.study.measures import IN_EVERY_STUDY, LABELLING, Prototypes, Taxonomy
from python_assets.study.study import Clusters, Direction, Kind, MeasureSpec, Study, make_id
from python_assets.texts.keywords import WordFinder

DISAGREEMENT: Final = "_disagreement"

MeasureReads = Literal[
    "text",
    "classifier",
    "judge",
    "embeddings",
    "clusters",
    "flags",
    "column",
    "row",
    "when",
    "options",
    "prototypes",
    "taxonomy",
    "trained",
]

_UNITS: Final[Mapping[Kind, str]] = {"continuous": "score", "binary": "share", "categorical": "label"}
_READS: Final[Mapping[str, MeasureReads]] = {
    "column": "column",
    "when": "when",
    "classifier": "classifier",
    "judge": "judge",
    "clusters": "clusters",
    "cluster_and_sort": "clusters",
    "option_probability": "options",
    "prototypes": "prototypes",
    "taxonomy": "taxonomy",
}


_READ_TEXTS: Final[frozenset[MeasureReads]] = frozenset(
    {"text", "classifier", "judge", "embeddings", "clusters", "prototypes", "taxonomy", "trained"}
)


class Measure(NamedTuple):
    """A measure as raw.measures has it, and how it is read off.

    slices: the slices it has rows in; none named means every slice. reads: which of readers.READERS reads it,
    together with the other measures of its entry. spec: that entry of the study file. options: the
    parameters, and which of several scores it is. segment_factor: whose levels have numbers of their own.
    """

    measure_id: str
    kind: Kind
    unit: str
    scale_low: float | None
    scale_high: float | None
    direction: Direction
    favourable: str | None
    scorer: str
    model: str | None
    model_revision: str | None
    parameters: str
    languages: str
    slices: tuple[str, ...]
    reads: MeasureReads
    spec: MeasureSpec
    options: Mapping[str, str]
    segment_factor: str = ""

    @property
    def model_licence(self) -> str | None:
        """The licence of the model, where it is known."""
        return None if self.model is None else LICENCES.get(self.model)


def resolve_measures(study: Study) -> list[Measure]:
    """Every measure of a study, in the order of its file, then those that every study has.

    Raises:
        StudyFileError: a measure cannot be what the file says; the text names everything that is wrong.
    """
    problems = [
        problem
        for position, spec in enumerate(study.measures)
        for problem in spec_problems(("measures", position), spec)
    ]
    if problems:
        raise StudyFileError(study.path, problems)
    declared = {make_id(spec.name) for spec in study.measures}
    implied = [MeasureSpec(name=name, scorer=name) for name in IN_EVERY_STUDY if name not in declared]
    specs = [*study.measures, *implied]
    imported = imported_ids(specs)
    return [measure for spec in specs for measure in measures_of(spec, imported)]


def imported_ids(specs: Iterable[MeasureSpec]) -> frozenset[str]:
    """The measures that are columns of the import."""
    return frozenset(make_id(spec.name) for spec in specs if spec.column is not None)


def reads_neutral_words(measure: Measure, group_words: Iterable[str]) -> bool:
    """Whether a measure reads neutral words instead of those that name a group: it may score these.

    Args:
        measure: the measure.
        group_words: that name groups of the study. Where an anchor or label of prototypes or a taxonomy holds
            one, texts are read as written: these ask for the very words.
    """
    if (near := measure.spec.prototypes or measure.spec.taxonomy) is None:
        is_lexicon = measure.reads == "text" and measure.spec.scorer is not None
        return is_lexicon or measure.reads in ("classifier", "embeddings")
    texts, none = near.label_set
    finder = WordFinder(group_words)
    return not any(finder.find(text) for label, wordings in texts.items() for text in (label, *wordings, *none))


def has_reading_as_written(measure: Measure) -> bool:
    """Whether a measure of neutral words may have its value as written next to it; of labels these alone."""
    is_near = measure.scorer in ("prototypes", "taxonomy")
    return is_near or (measure.reads not in ("prototypes", "taxonomy") and reads_neutral_words(measure, ()))


def as_written_ids(measures: Iterable[Measure]) -> list[str]:
    """The measures that may stand beside those that read neutral words, where a value differs without them."""
    return [measure.measure_id + AS_WRITTEN_READING for measure in measures if has_reading_as_written(measure)]


def gated_languages(measures: Iterable[Measure]) -> list[str]:
    """The languages outside which some measure of texts has no value, codes with | between them, each list once."""
    return list(dict.fromkeys(m.languages for m in measures if m.languages and m.reads in _READ_TEXTS))


def measures_of(spec: MeasureSpec, imported: Collection[str] = ()) -> list[Measure]:
    """The measures of one entry of a study file, in the order of raw.measures.

    Args:
        spec: the entry, which has no problems.
        imported: of imported_ids: beside labels that are a column none is made that is a column itself.
    """
    made = [_with_annotation(measure) for measure in _measures_of(spec)]
    return made if spec.column is None else [made[0], *(one for one in made[1:] if one.measure_id not in imported)]


def _with_annotation(measure: Measure) -> Measure:
    column = measure.spec.annotation
    if column is None:
        return measure
    return measure._replace(parameters=";".join(filter(None, [measure.parameters, f"annotation={column}"])))


def _measures_of(spec: MeasureSpec) -> list[Measure]:
    if spec.scorer is not None:
        built = scorers[spec.scorer]
        return [_built_in(spec, built, score) for score in built.recipes or ("",)]
    if (clusters := spec.clusters or spec.cluster_and_sort) is not None:
        return list(_of_clusters(spec, clusters))
    measure = _declared(spec)
    measures = [measure]
    measures += [_beside(measure, ending) for ending in _endings(spec, measure.kind)]
    if spec.prototypes is not None:
        measures += [_similarity(measure, label) for label in spec.labels]
    if spec.rubric is not None and spec.rubric.repeats > 1:
        measures.append(_disagreement(measure))
    return measures


def _built_in(spec: MeasureSpec, built: Scorer, part: str) -> Measure:
    options = {
        name: _plain(spec.parameters.get(name, known[0] if known else ""))
        for name, known in built.parameters.items()
        if known or name in spec.parameters
    }
    kind = built.kind or spec.kind or default_kind(spec)
    low, high = spec.scale or (built.scale if built.kind else _own_scale(spec, kind))
    return Measure(
        measure_id="_".join(filter(None, (make_id(spec.name), part))),
        kind=kind,
        unit=spec.unit or (built.unit if built.kind else _UNITS[kind]),
        scale_low=low,
        scale_high=high,
        direction=spec.direction or built.direction,
        favourable=None,
        scorer=built.name,
        model=options.get("model", spec.engine),
        model_revision=options.get("revision"),
        parameters=_written(options),
        languages="|".join(_languages(spec, built)),
        slices=_slices(spec),
        reads=built.reads,
        spec=spec,
        options=options | ({"score": part} if built.recipes else {}),
    )


def _languages(spec: MeasureSpec, built: Scorer) -> Sequence[str]:
    """Those that the study names, else those of what reads the texts: an engine's are not known."""
    if spec.languages is not None:
        return spec.languages
    return () if spec.engine is not None else built.languages


def _declared(spec: MeasureSpec) -> Measure:
    kind = spec.kind or default_kind(spec)
    low, high = spec.scale or _own_scale(spec, kind)
    return Measure(
        measure_id=make_id(spec.name),
        kind=kind,
        unit=spec.unit or ("probability" if spec.option_probability else _UNITS[kind]),
        scale_low=low,
        scale_high=high,
        direction=spec.direction or _own_direction(spec, kind),
        favourable=spec.favourable,
        scorer=spec.function or spec.method,
        model=spec.classifier.model if spec.classifier else spec.engine,
        model_revision=spec.classifier.revision if spec.classifier else None,
        parameters=_written(_declared_parameters(spec)),
        languages="|".join(spec.languages or ()),
        slices=_slices(spec),
        reads="row" if spec.columns else _READS.get(spec.method, "text"),
        spec=spec,
        options={},
    )


def _own_direction(spec: MeasureSpec, kind: Kind) -> Direction:
    """Favourable labels are better; a deviation from desired behaviour is worse."""
    if spec.when is not None:
        return "higher_worse"
    return "higher_better" if kind == "binary" and spec.favourable is not None else "none"


def _own_scale(spec: MeasureSpec, kind: Kind) -> tuple[float | None, float | None]:
    if kind == "binary" or spec.option_probability is not None:
        return 0.0, 1.0
    if spec.classifier is not None:
        # every probability lies between 0 and 1
        weights = spec.classifier.scores.values()
        return sum(w for w in weights if w < 0), sum(w for w in weights if w > 0)
    if spec.rubric is not None and isinstance(spec.rubric.options, dict):
        return min(spec.rubric.options.values()), max(spec.rubric.options.values())
    return None, None


def _declared_parameters(spec: MeasureSpec) -> dict[str, str]:
    if spec.column is not None:
        baseline = {"baseline_column": spec.baseline_column} if spec.baseline_column else {}
        return {"column": spec.column} | baseline
    if spec.when is not None:
        return {"measure": make_id(spec.when.measure), "equals_factor": spec.when.equals_factor}
    if spec.option_probability is not None:
        return {"option": spec.option_probability}
    if spec.classifier is not None:
        return {"scores": "|".join(f"{label}:{weight:g}" for label, weight in spec.classifier.scores.items())}
    if spec.rubric is not None:
        options = {"options": "|".join(spec.rubric.options), "repeats": str(spec.rubric.repeats)}
        return options | {"rubric": " ".join(spec.rubric.rubric.split())}
    if (near := spec.prototypes or spec.taxonomy) is not None:
        return _near_parameters(near)
    preset = {"preset": spec.choices} if isinstance(spec.choices, str) else {}
    return preset | ({"labels": "|".join(spec.labels)} if spec.labels else {})


def _near_parameters(near: Prototypes) -> dict[str, str]:
    named = {"set": near.labels} if isinstance(near.labels, str) else {}
    steps = {"steps": "|".join(near.steps)} if isinstance(near, Taxonomy) else {}
    nearness = {"least_similarity": f"{near.least_similarity:g}", "margin": f"{near.margin:g}"}
    return {**named, "labels": "|".join(near.label_set.texts), **steps, **nearness}


def _disagreement(measure: Measure) -> Measure:
    return measure._replace(
        measure_id=measure.measure_id + DISAGREEMENT,
        kind="continuous",
        unit="share",
        scale_low=0.0,
        scale_high=1.0,
        direction="none",
        favourable=None,
    )


def _of_clusters(spec: MeasureSpec, clusters: Clusters) -> Iterator[Measure]:
    """Of every cluster whether a text is in it and how far it is from it."""
    whole = _declared(spec)._replace(
        parameters=_written(clusters.model_dump()), direction="none", segment_factor=clusters.factor
    )
    for j in range(1, clusters.k + 1):
        cluster_id = f"{whole.measure_id}_{j}"
        yield whole._replace(
            measure_id=f"{cluster_id}_member",
            kind="binary",
            unit=_UNITS["binary"],
            scale_low=0.0,
            scale_high=1.0,
            options={"cluster": str(j), "value": "member"},
        )
        yield whole._replace(
            measure_id=f"{cluster_id}_distance",
            kind="continuous",
            unit="distance",
            scale_low=0.0,
            scale_high=None,
            options={"cluster": str(j), "value": "distance"},
        )


def _endings(spec: MeasureSpec, kind: Kind) -> tuple[str, ...]:
    """Endings of the measures that follow from labels: a response may have none, or say that it does not decide."""
    if spec.choices is not None:
        return (UNSCORED, UNDECIDED) if kind == "categorical" else (UNSCORED, UNDECIDED, UNDECIDED_AS_NO)
    return (UNSCORED,) if kind == "categorical" and spec.method in (*LABELLING, "column") else ()


def _beside(measure: Measure, ending: str) -> Measure:
    return measure._replace(
        measure_id=measure.measure_id + ending,
        kind="binary",
        unit=_UNITS["binary"],
        scale_low=0.0,
        scale_high=1.0,
        direction=measure.direction if ending == UNDECIDED_AS_NO else "none",
        favourable=None,
        scorer=ending.removeprefix("_"),
        parameters=_written({"measure": measure.measure_id}),
    )


def _similarity(measure: Measure, label: str) -> Measure:
    """How like the anchors of a label a text is."""
    return measure._replace(
        measure_id=f"{measure.measure_id}_{SIMILARITY}_{make_id(label)}",
        kind="continuous",
        unit="cosine",
        scale_low=-1.0,
        scale_high=1.0,
        direction="none",
        favourable=None,
        scorer=SIMILARITY,
        options={"label": label},
    )


def _slices(spec: MeasureSpec) -> tuple[str, ...]:
    named = [spec.slice] if isinstance(spec.slice, str) else spec.slice or []
    return () if "all" in named else tuple(dict.fromkeys(named))


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _written(parameters: Mapping[str, object]) -> str:
    return ";".join(f"{name}={value}" for name, value in parameters.items())
