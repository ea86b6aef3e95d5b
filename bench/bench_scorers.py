"""How rightly the packaged instruments read texts whose truth is known.

    PLUMBLINE_DATA=FOLDER python -m bench.bench_scorers

Writes computed.csv of python_assets/extract/scorers, which raw.scorers takes its figures from. Refusals are
read by the rules on texts; labels by the stage that a study runs, on a build file of its own, so that what is
validated is what measures. A test computes all of it again.
"""

import csv
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd

from bench.bench_refusals import KINDS, TEMPLATES, exchanged_words, sequences, slotted
from bench.label_agreement import read_by_one_reader
from bench.train_refusals import REAL, digest, held_out, labelled
from python_assets.extract.extract_study import extract
from python_assets.extract.scorer import scorers
from python_assets.extract.scorers.figures import (
    PHRASINGS,
    REAL_ANSWERS,
    LabelledText,
    Material,
    MeasuredAccuracy,
    Share,
    rows_of,
    share_of,
    shown_by,
)
from python_assets.extract.scorers.packaged import COMPUTED, Validation, write_validations
from python_assets.providers.refusal.outcome import is_refusal
from python_assets.study.model_family import UNKNOWN_FAMILY, model_family
from python_assets.study.study import MeasureSpec, Prompts, Study
from python_assets.texts.group_mask import GroupMask
from python_assets.warehouse.build import open_build, write_stage

REFUSED: Final = "refused"
ANSWERED: Final = "answered"
STANCE: Final = "stance"
UNSCORED: Final = "unscored"
# XSTest's types that belong together; its contrast questions are about what the safe ones are
TOPICS: Final = {
    "discr": "discrimination",
    "nons_group_real_discr": "discrimination",
    "real_group_nons_discr": "discrimination",
    "privacy_public": "privacy",
    "privacy_fictional": "privacy",
}
SETS: Final = {"D1": "fair_sea_leadership", "D4": "fair_sea_family_reaction", "I4": "fair_sea_personality"}
TAXONOMIES: Final = {"I1": "fair_sea_occupations", "I2": "fair_sea_industries"}
FAMILY_OF_FAIR_SEA: Final = "gpt"  # all three models that answered its prompts


class Source(NamedTuple):
    """Texts with a truth: where they are from and who told it."""

    material: Material
    source: str
    licence: str
    labelled_by: str
    language: str = "en"


_PEOPLE: Final = "two people, their final label"
_JUDGE: Final = "a model as judge"
REFUSALS: Final = {
    "xstest": Source(REAL_ANSWERS, "XSTest (Röttger and others 2024), 3 of its models", "CC BY 4.0", _PEOPLE),
    "speechmap": Source(REAL_ANSWERS, "SpeechMap (xlr8harder), a half of its refusals", "Apache 2.0", _JUDGE),
    "rbr": Source(REAL_ANSWERS, "Rule-based rewards (OpenAI 2024), its gold data", "MIT", "people"),
    "coconot": Source(REAL_ANSWERS, "CoCoNot (Brahman and others 2024), harmless requests", "MIT", "what was asked"),
    "jbb": Source(REAL_ANSWERS, "JailbreakBench (Chao and others 2024), answers that comply", "MIT", _JUDGE),
    "refusalbench": Source(REAL_ANSWERS, "RefusalBench (AppliedScientific), unanimous rows", "MIT", "three models"),
    "pct": Source(REAL_ANSWERS, "opinions on propositions (Röttger and others 2024)", "CC BY 4.0", "two people alike"),
}
STANCES: Final = Source(
    REAL_ANSWERS,
    "stances of XSTest, SpeechMap and RBR, which their labels call refusals",
    "CC BY 4.0, Apache 2.0, MIT",
    "author",
)
NAMING: Final = Source(
    REAL_ANSWERS, "texts of all these sources that name a group", "as these sources", "as these sources"
)
EXCHANGED: Final = Source(
    REAL_ANSWERS,
    "real answers and templates with 119 words for groups in turn; agreement is the share read alike for all",
    "as these sources",
    "none: readings are compared",
)
WRITER: Final = Source(
    PHRASINGS, "refusals by a writer who saw neither lexicon nor weights", "Apache-2.0", "who wrote them"
)
HANDS: Final = Path(__file__).parents[1] / "tests" / "python_assets" / "phrasings" / "refusals_of_hands.csv"
USUAL_HANDS: Final = ("c", "d")  # a and b were asked for unusual wordings
FAIR_SEA: Final = Source(REAL_ANSWERS, "FAIR-SEA (HartantoLs 2025), half of its answers", "MIT", "one automatic reader")
FAIR_SEA_NAMES: Final = Source(
    REAL_ANSWERS, "FAIR-SEA (HartantoLs 2025), answers that name a category", "MIT", "a rule on words"
)
WRITTEN: Final = Source(PHRASINGS, "phrasings shared with this project", "CC0 1.0", "who wrote them")


class Scorer(NamedTuple):
    """What is validated, and whether it was made or mended on the texts."""

    scorer: str
    label_set: str
    version: str
    is_training: bool = False


def validation_rows(
    scorer: Scorer, source: Source, texts: Sequence[LabelledText], *, n_left_out: int = 0
) -> list[Validation]:
    """The rows of one instrument on one source: all texts, and by family and topic.

    Args:
        scorer: what read them.
        source: where they are from.
        texts: with truth and reading; the reading may be of a model that was trained without them.
        n_left_out: texts beside them whose truth is neither, such as a refusal in part.
    """
    shown = rows_of(texts)
    return [_row(scorer, source, one, n_left_out if not (one.family or one.topic) else None) for one in shown]


def _row(scorer: Scorer, source: Source, one: MeasuredAccuracy, n_left_out: int | None) -> Validation:
    return Validation(
        scorer=scorer.scorer,
        label_set=scorer.label_set,
        version=scorer.version,
        material=source.material,
        source=source.source,
        licence=source.licence,
        labelled_by=source.labelled_by,
        language=source.language,
        model_family=one.family,
        topic=one.topic,
        is_training=scorer.is_training,
        n=one.n,
        n_positive=one.n_positive,
        n_left_out=n_left_out,
        **_limits("recall", one.recall),
        **_limits("precision", one.precision),
        **_limits("specificity", one.specificity),
        **_limits("agreement", one.agreement),
        **_limits("kappa", one.kappa),
    )


def _limits(name: str, share: Share) -> dict[str, float | None]:
    return {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}


def labelled_refusals(texts: pd.DataFrame, called: Sequence[bool]) -> list[LabelledText]:
    """Answers and refusals as they were read.

    Args:
        texts: as train_refusals.labelled has them, refused or answered.
        called: whether each was read as a refusal.
    """
    return [
        LabelledText(
            REFUSED if row.label == REFUSED else None,
            REFUSED if is_read_so else None,
            family_of(row.fold),
            topic_of(row.topic),
        )
        for row, is_read_so in zip(texts.itertuples(), called, strict=True)
    ]


def family_of(model: str) -> str:
    """Its family; '' where its name tells none, so that it has no row of its own."""
    family = model_family(model)
    return "" if family == UNKNOWN_FAMILY else family


def topic_of(topic: str) -> str:
    """The topic of a type of questions, safe ones and their contrasts together."""
    plain = re.sub("^contrast_", "", topic)
    return TOPICS.get(plain, plain)


def refusal_rows(folder: Path) -> Iterator[Validation]:
    """Refusals: real answers, each read by weights that saw no answer of its model; those of two writers; phrasings.

    Stances and answers that name a group stand apart.
    """
    scorer = Scorer("refusal", "", scorers["refusal"].version())
    texts, read = labelled(folder), held_out()
    real = texts[texts.material.isin(REAL)]
    real = real.assign(called=[read[digest(text)] for text in real.text])
    acts = real[real.label.isin([REFUSED, ANSWERED])]
    for material, source in REFUSALS.items():
        own = acts[acts.material == material]
        n_left_out = int((real.material == material).sum()) - len(own)
        yield from validation_rows(scorer, source, labelled_refusals(own, own.called), n_left_out=n_left_out)
    stances = real[real.label == STANCE]
    yield from validation_rows(scorer, STANCES, [_answer(row) for row in stances.itertuples()])
    naming = {kind: acts[acts.text.str.contains(rf"\b(?:{words})\b", case=False)] for kind, words in KINDS.items()}
    every = pd.concat(naming.values()).drop_duplicates("text")
    whole = shown_by([text._replace(family="", topic="") for text in labelled_refusals(every, every.called)])
    yield _row(scorer, NAMING, whole, None)
    for kind, own in naming.items():
        yield _row(scorer, NAMING, shown_by(labelled_refusals(own, own.called), topic=kind), None)
    yield _row(scorer, EXCHANGED, _read_alike(real.text.tolist()), None)
    hands = pd.read_csv(HANDS, keep_default_na=False)
    for hand, own in hands[hands.hand.isin(USUAL_HANDS)].groupby("hand"):
        for of, prompts in (("", own.prompt), (", without their prompts", [""] * len(own))):
            found = [is_refusal(text, prompt) for prompt, text in zip(prompts, own.response, strict=True)]
            source = WRITER._replace(source=f"{WRITER.source}, hand {hand}{of}")
            yield from validation_rows(
                scorer, source, [LabelledText(REFUSED, REFUSED if one else None) for one in found]
            )
    written = read_rows(folder / "phrasings" / "refusals.csv")
    phrasings = [
        LabelledText(*(REFUSED if one else None for one in (row["truth"] == "refusal", is_refusal(row["text"]))))
        for row in written
    ]
    yield from validation_rows(scorer._replace(is_training=True), WRITTEN, phrasings)


def _answer(row: Any) -> LabelledText:
    return LabelledText(None, REFUSED if row.called else None)


def _read_alike(texts: Sequence[str]) -> MeasuredAccuracy:
    """How many texts are one sequence of tokens whichever group they name, the words masked as a study's own."""
    words = exchanged_words()["word"].tolist()
    mask = GroupMask(words)
    templates = [*TEMPLATES, *slotted(texts, mask)]
    alike = sum(len(sequences(one, words, mask)) == 1 for one in templates)
    nothing = shown_by([LabelledText(None, None)])
    return nothing._replace(n=len(templates), specificity=Share(), agreement=share_of(alike, len(templates)))


def label_rows(folder: Path) -> Iterator[Validation]:
    """Labels by yes_no, prototypes and taxonomies: real answers, then phrasings."""
    read = read_by_one_reader(folder)
    for category, name in SETS.items():
        own = [row for row in read if row["prompt_category"] == category]
        truths = [None if row["label"] == UNSCORED else row["label"] for row in own]
        yield from _labelled(FAIR_SEA, "prototypes", name, [row["llm_output"] for row in own], truths)
    table = pd.read_parquet(folder / "fairsea" / "fairsea_responses.parquet").dropna(subset=["category"])
    for category, name in TAXONOMIES.items():
        own_rows = table[table["prompt_category"] == category]
        yield from _labelled(FAIR_SEA_NAMES, "taxonomy", name, list(own_rows["llm_output"]), list(own_rows["category"]))
    asked = table[table["prompt_category"] == "I3"]
    yield from _labelled(FAIR_SEA_NAMES, "choices", "yes_no", list(asked["llm_output"]), list(asked["category"]))
    written = read_rows(folder / "phrasings" / "yes_no.csv")
    truths = [{"other": None, "other-yes": "yes"}.get(row["truth"], row["truth"]) for row in written]
    yield from _labelled(WRITTEN, "choices", "yes_no", [row["text"] for row in written], truths, is_training=True)


def _labelled(
    source: Source,
    scorer: str,
    label_set: str,
    texts: Sequence[str],
    truths: Sequence[str | None],
    *,
    is_training: bool = False,
) -> list[Validation]:
    read, version = read_labels({"name": "label", scorer: label_set}, texts)
    folded = [None if label is None else label.lower() for label in read]
    family = FAMILY_OF_FAIR_SEA if source.material == REAL_ANSWERS else ""
    pairs = [LabelledText(truth, label, family) for truth, label in zip(truths, folded, strict=True)]
    return validation_rows(Scorer(scorer, label_set, version, is_training), source, pairs)


def read_labels(measure: Mapping[str, Any], texts: Sequence[str]) -> tuple[list[str | None], str]:
    """The label of each text and the version of what read it, by the stage that every study runs.

    Args:
        measure: as a study file has it.
        texts: answers.
    """
    with tempfile.TemporaryDirectory() as folder:
        study = Study.model_construct(
            study_id="study",
            path=Path(folder) / "study.yml",
            prompts=Prompts.model_validate({"import": {"path": "x.csv", "columns": {"prompt": "id"}}}),
            slices={},
            factors={},
            groupings={},
            measures=[MeasureSpec.model_validate(measure)],
        )
        with open_build(Path(folder) / "study.duckdb") as connection:
            _write_responses(connection, texts)
            extract(study, connection, Path(folder) / "cache")
            found = connection.execute(
                "select label, scorer_version from raw.measurements where measure_id = 'label' order by prompt_id"
            ).fetchall()
    [version] = {version for _, version in found}
    return [label for label, _ in found], version


def _write_responses(connection: Any, texts: Sequence[str]) -> None:
    names = [f"{i:06}" for i in range(len(texts))]
    prompts = pd.DataFrame({"prompt_id": names, "root_prompt_id": names, "unit_id": names, "is_root": True})
    write_stage(
        connection,
        "study",
        "assemble",
        {"prompts": prompts.assign(task="completion", source_tag="", keyword="", document_id="")},
    )
    flags = dict.fromkeys(("is_refused", "is_empty", "is_truncated"), False)
    responses = pd.DataFrame({"prompt_id": names, "response_id": names, "response_text": texts})
    system = {"system_id": "one", "provider": "replay", "is_simulated": False, "is_baseline": False}
    empty = ("model", "system_prompt", "decoding_json", "extensions_json", "model_details_json")
    tables = {
        "systems": pd.DataFrame([{**system, **dict.fromkeys(empty, "")}]),
        "responses": responses.assign(system_id="one", replicate=0, status="ok", **flags),
    }
    write_stage(connection, "study", "generate", tables)


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a csv file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def computed(folder: Path) -> list[Validation]:
    """Every row of computed.csv.

    Args:
        folder: of the data, PLUMBLINE_DATA.
    """
    return [*refusal_rows(folder), *label_rows(folder)]


def main() -> None:
    """Write the rows and print what each of them shows."""
    rows = computed(Path(os.environ["PLUMBLINE_DATA"]))
    write_validations(COMPUTED, rows)
    for row in rows:
        of = " ".join(filter(None, (row.model_family, row.topic)))
        print(f"{row.scorer} {row.label_set} | {row.source} {row.language} {of} | n {row.n} ({row.n_positive})")
        print(f"    recall {row.recall}, precision {row.precision}, agreement {row.agreement}, kappa {row.kappa}")


if __name__ == "__main__":
    main()
