"""The measures of a study file: what is read off a response, and how.

Belongs here: the shape of these entries and their defaults. What a measure becomes is extract/measures.py.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StrictStr, model_validator

from python_assets.study.base import Device, Direction, Expanded, FactorName, Kind, Name, Part, Unfit, Words
from python_assets.study.ground_truth import GroundTruth
from python_assets.study.label_sets import LabelSet, label_sets

WHOLE: Final = "all"  # clusters of all prompts together
METHODS_OF_MEASURING = (
    "scorer",
    "choices",
    "patterns",
    "column",
    "function",
    "classifier",
    "judge",
    "clusters",
    "cluster_and_sort",
    "when",
    "option_probability",
    "prototypes",
    "taxonomy",
)
# ways that give every response one of the labels that the entry lists, or none
LABELLING: Final = ("choices", "patterns", "prototypes", "taxonomy")
CHOOSING: Final = ("choices", "patterns")  # of these by what a response says, not by what it is near to
CLUSTERINGS = ("clusters", "cluster_and_sort")
TRAINED_ON_LABELS: Final = "trained_on_labels"  # the extractor that people's labels of the study's answers train
# built-in measures that are written with their parameters: vader: {per: sentence}
_WITH_PARAMETERS: Final = frozenset({"vader"})

ChoicePreset = Literal["yes_no", "multiple_choice"]
# what answers of English are read for; how is extract/labels/short_answers.py
PRESET_LABELS: Final[Mapping[ChoicePreset, tuple[str, ...]]] = {
    "yes_no": ("yes", "no"),
    "multiple_choice": tuple("ABCDEFGH"),
}
REFUSAL: Final = "refusal"
# every study has these, so that a difference in how often models answer is seen
IN_EVERY_STUDY: Final = (REFUSAL, "empty", "truncated")


class Computing(Part):
    """Where a classifier runs and in which numbers.

    device: cpu, cuda, cuda:1, mps; absent, the GPU where there is one. batch_size: texts read together.
    dtype: of the weights; absent, the one that they were saved in.
    """

    device: Device | None = None
    batch_size: int = Field(32, ge=1)
    dtype: Literal["float32", "float16", "bfloat16"] | None = None


AS_SAVED: Final = Computing()
COMPUTING: Final = tuple(Computing.model_fields)


def _check_pair(pair: list[str]) -> list[str]:
    if len(pair) != 2 or not all(text.strip() for text in pair) or pair[0] == pair[1]:
        raise Unfit("a pair of different texts, [low, high]", "write for example [this is bad, this is good]")
    return pair


ProbePair = Annotated[list[StrictStr], AfterValidator(_check_pair)]


class ClassifierSpec(Computing):
    """A text classifier of a model hub or a folder; scores: label to weight, the value being their sum.

    revision: commit of the hub, which is recorded; a folder has none. probe: pairs of a text that must score low
    and one that must score high, which the model is held to before it measures anything.
    """

    model: Expanded
    revision: StrictStr | None = None
    scores: dict[StrictStr, float] = Field(min_length=1)
    probe: list[ProbePair] = []


class Judge(Part):
    """Marks given by a generation, by a rubric.

    options: the closed scale, labels or labels with their numbers; repeats: how often each response is
    marked, the options in another order each time.
    """

    engine: StrictStr
    rubric: StrictStr
    options: Annotated[list[StrictStr], Field(min_length=2)] | Annotated[dict[StrictStr, float], Field(min_length=2)]
    repeats: int = Field(1, ge=1)


class RefusalJudge(Part):
    """The engine that tells refusals in the place of the rules."""

    judge: StrictStr


class Clusters(Part):
    """Groups of like texts by KMeans on embeddings (SAGED C.4).

    per: the factor whose levels have clusters of their own, or all. vector: what stands for a cluster. words:
    theme words a cluster. theme: what they are near to, the vector of the cluster or the embedding of its texts
    joined. metric: of the distance of a text from a cluster.
    """

    k: int = Field(3, ge=1)
    per: FactorName | Literal["all"] = "concept"
    vector: Literal["average", "maximum", "weighted_average"] = "average"
    words: int = Field(3, ge=1)
    theme: Literal["vector", "concatenation"] = "vector"
    metric: Literal["cosine", "l1", "l2"] = "l2"

    @property
    def factor(self) -> str:
        """The factor whose levels have clusters of their own; empty where all prompts have the same ones."""
        return "" if self.per == WHOLE else self.per


class Prototypes(Part):
    """Labels by how near the embedding of a text is to those of anchor sentences.

    labels: label to its anchors, or the name of a packaged set. none: anchors that say none of the labels.
    least_similarity: a cosine; a text further from every label has none. margin: by how much a label must be
    nearer than the next. of_packaged_sets: what these have in place of the defaults. Their anchors of none hold
    back texts that say no label, so that a label may be found further off.
    """

    of_packaged_sets: ClassVar[Mapping[str, float]] = {"least_similarity": 0.25}

    labels: StrictStr | Annotated[dict[StrictStr, list[StrictStr]], Field(min_length=1)]
    none: list[StrictStr] = []
    least_similarity: float = Field(0.4, ge=-1, le=1)
    margin: float = Field(0.01, ge=0, le=2)

    @model_validator(mode="before")
    @classmethod
    def _a_name_is_of_a_packaged_set(cls, data: Any) -> Any:
        given = {"labels": data} if isinstance(data, str) else data
        if isinstance(given, Mapping) and isinstance(given.get("labels"), str):
            return {**cls.of_packaged_sets, **given}
        return given

    @property
    def is_known(self) -> bool:
        """Whether its labels are its own, or of a packaged set that there is."""
        return not isinstance(self.labels, str) or self.labels in label_sets()

    @property
    def label_set(self) -> LabelSet:
        """Its labels and their texts; of a packaged set that there is."""
        return label_sets()[self.labels] if isinstance(self.labels, str) else LabelSet(self.labels, self.none)


class Taxonomy(Prototypes):
    """Labels of a taxonomy, found step by step; the first step that finds one decides.

    labels: label to its synonyms, or the name of a packaged set. steps: exact, the label's own name in the
    text; synonyms, one of them; embedding, by nearness to name and synonyms.
    """

    of_packaged_sets: ClassVar[Mapping[str, float]] = {}

    steps: Annotated[list[Literal["exact", "synonyms", "embedding"]], Field(min_length=1)] = [
        "exact",
        "synonyms",
        "embedding",
    ]
    least_similarity: float = Field(0.5, ge=-1, le=1)


class Equals(Part):
    """A rule on what another measure read: its label is the level that the prompt has of a factor."""

    measure: Name
    equals_factor: FactorName


class MeasureSpec(Part):
    """What is read off a response. One of METHODS_OF_MEASURING says how, else the extractor of that name.

    judge: how a measure is marked; beside choices it is the name of an engine alone, which marks what their
    rules leave without a label. refusal: who tells refusals, on the entry of that name.
    option_probability: the role of the option whose probability is measured. options: the labels that people
    choose from, of a measure that their labels train. columns: of the import, whose entries the function sees
    beside the text. version_column: of the import, what measured each of its entries. annotation: of the
    import, whose entries win over what is measured. ground_truth: the real shares of groups in each label.
    """

    name: Name
    kind: Kind | None = None
    scorer: StrictStr | None = None
    choices: ChoicePreset | Words | Annotated[dict[StrictStr, list[StrictStr]], Field(min_length=1)] | None = None
    patterns: dict[StrictStr, StrictStr] | None = Field(default=None, min_length=1)
    column: StrictStr | None = None
    baseline_column: StrictStr | None = None
    version_column: StrictStr | None = None
    annotation: StrictStr | None = None
    options: Words | None = None
    function: StrictStr | None = None
    columns: Words | None = None
    classifier: ClassifierSpec | None = None
    judge: Judge | StrictStr | None = None
    refusal: RefusalJudge | None = None
    clusters: Clusters | None = None
    cluster_and_sort: Clusters | None = None
    when: Equals | None = None
    option_probability: StrictStr | None = None
    prototypes: Prototypes | None = None
    taxonomy: Taxonomy | None = None
    languages: list[StrictStr] | None = None
    parameters: dict[StrictStr, StrictStr | float] = {}
    unit: StrictStr | None = None
    scale: Annotated[tuple[float, float], Field(strict=False)] | None = None
    direction: Direction | None = None
    favourable: StrictStr | None = None
    ground_truth: GroundTruth | None = None
    slice: StrictStr | list[StrictStr] | None = None

    @model_validator(mode="before")
    @classmethod
    def _a_name_alone_is_built_in(cls, data: Any) -> Any:
        if isinstance(data, str):
            data = {data: {}} if data in CLUSTERINGS else {"name": data}
        if isinstance(data, dict) and REFUSAL in data and "name" not in data:
            data = {"name": REFUSAL, **data}
        if isinstance(data, dict) and "name" not in data and (clusterings := set(data) & set(CLUSTERINGS)):
            data = {"name": min(clusterings), **data}
        if isinstance(data, dict) and (built := _WITH_PARAMETERS & set(data)):
            name = min(built)
            rest = {key: value for key, value in data.items() if key != name}
            data = {"name": name, "scorer": name, **rest, "parameters": data[name]}
        if isinstance(data, dict) and isinstance(data.get("name"), str) and not set(data) & set(METHODS_OF_MEASURING):
            return {**data, "scorer": data["name"]}
        return data

    @property
    def computing(self) -> Computing:
        """Where its classifier runs, be it one of its own or a built-in one.

        Raises:
            ValidationError: the parameters say what cannot be; measure_problems tells it of a study file.
        """
        stated = self.parameters if self.classifier is None else self.classifier.model_dump()
        named = {name: stated[name] for name in COMPUTING if name in stated}
        size = named.get("batch_size")
        if isinstance(size, float) and size.is_integer():
            named["batch_size"] = int(size)
        return Computing.model_validate(named)

    @property
    def method(self) -> str:
        """The one field that says how the measure is read off a response."""
        return next(method for method in METHODS_OF_MEASURING if getattr(self, method) is not None)

    @property
    def imported_columns(self) -> list[str]:
        """The columns of the import that it reads."""
        return [
            name
            for name in (self.column, self.baseline_column, self.version_column, self.annotation, *(self.columns or ()))
            if name
        ]

    @property
    def engine(self) -> str | None:
        """The engine that judges, alone or beside rules."""
        if self.refusal is not None:
            return self.refusal.judge
        return self.judge.engine if isinstance(self.judge, Judge) else self.judge

    @property
    def rubric(self) -> Judge | None:
        """The judge that is the whole of a measure, with its own rubric and options."""
        return self.judge if isinstance(self.judge, Judge) else None

    @property
    def labels(self) -> list[str]:
        """The labels that a response may get, where the entry says them; none elsewhere."""
        if isinstance(self.choices, str):
            return list(PRESET_LABELS[self.choices])
        if (near := self.prototypes or self.taxonomy) is not None:
            return list(near.label_set.texts) if near.is_known else []
        rubric_options = self.rubric.options if self.rubric and isinstance(self.rubric.options, list) else []
        return list(self.choices or self.patterns or self.options or rubric_options)

    @model_validator(mode="after")
    def _a_judge_that_fits(self) -> "MeasureSpec":
        if isinstance(self.judge, str) and self.choices is None:
            raise Unfit(
                "a mapping with engine, rubric and options as judge, whose name alone stands beside choices",
                "write judge: {engine: ..., rubric: ..., options: [...]}",
            )
        if isinstance(self.judge, Judge) and self.choices is not None:
            raise Unfit("the name of an engine alone as judge beside choices", "write judge: NAME")
        if self.refusal is not None and not self.name == self.scorer == REFUSAL:
            raise Unfit("refusal in an entry of its own", f"write - {{refusal: {{judge: {self.engine}}}}}")
        return self

    @model_validator(mode="after")
    def _options_of_people(self) -> "MeasureSpec":
        if self.options is not None and self.scorer != TRAINED_ON_LABELS:
            raise Unfit(f"options beside scorer: {TRAINED_ON_LABELS}, whose labels they are", "remove options")
        if self.options is not None and self.kind not in (None, "categorical"):
            raise Unfit("options of a categorical measure: people mark 0 or 1, or give a number", "remove options")
        return self

    @model_validator(mode="after")
    def _one_method(self) -> "MeasureSpec":
        given = [method for method in METHODS_OF_MEASURING if getattr(self, method) is not None]
        if self.choices is not None and isinstance(self.judge, str):
            given.remove("judge")
        if len(given) != 1:
            raise Unfit(f"exactly one of {', '.join(METHODS_OF_MEASURING)}", "keep one")
        if self.columns is not None and self.function is None:
            raise Unfit("function beside columns, which it sees", "write column: NAME for one of them")
        if self.method in ("column", "function") and self.kind is None:
            raise Unfit(f"kind for a measure from a {self.method}", "add kind: continuous, binary or categorical")
        if self.method in LABELLING and self.kind not in (None, "categorical", "binary"):
            raise Unfit(f"kind categorical, or binary with favourable, for {self.method}", "change kind")
        if self.when is not None and (self.kind not in (None, "binary") or self.favourable is not None):
            raise Unfit("kind binary without favourable for when, which is 1 where it holds", "remove both")
        if self.favourable is not None and self.method == "scorer":
            raise Unfit("no favourable label for a built-in scorer", "remove favourable")
        return self
