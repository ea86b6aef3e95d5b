"""Which answers and coders are compared: rows of a small build file, by hand."""

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from python_assets.infer.agreement.label_agreement import AgreementCounts, infer_agreement
from python_assets.warehouse.build import open_build, write_stage

N_PROMPTS = 12
GROUPS = ("a", "b")
SYSTEMS = ("g", "h", "base")


@pytest.fixture
def build(tmp_path):
    with open_build(tmp_path / "build" / "study.duckdb") as connection:
        yield Build(connection)


class Build:
    """Twelve root prompts of two groups each, put to two models and a baseline."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        prompts = pd.DataFrame(
            [(f"p{r:02d}{g}", f"p{r:02d}", g) for r in range(N_PROMPTS) for g in GROUPS],
            columns=["prompt_id", "root_prompt_id", "group_id"],
        )
        self.prompts = prompts
        constants = {"is_root": False, "task": "question", "source_tag": "", "keyword": "", "document_id": ""}
        stored = prompts.drop(columns="group_id").assign(unit_id=prompts.root_prompt_id, **constants)
        write_stage(connection, "s", "assemble", {"prompts": stored})
        texts = dict.fromkeys(("provider", "model", "system_prompt", "decoding_json", "extensions_json"), "x")
        systems = pd.DataFrame({"system_id": SYSTEMS, "model_family": ["gpt", "gpt", ""]}).assign(
            **texts, model_details_json="{}", is_simulated=False, is_baseline=[False, False, True]
        )
        answers = prompts.merge(pd.DataFrame({"system_id": SYSTEMS}), how="cross")
        self.answers = answers.assign(response_id=answers.system_id + answers.prompt_id, replicate=0)
        responses = self.answers.drop(columns=["group_id", "root_prompt_id"]).assign(status="ok")
        write_stage(connection, "s", "generate", {"systems": systems, "responses": responses})
        slices = [(name, prompt, 0) for name in ("all", "money") for prompt in prompts.prompt_id]
        in_slice = pd.DataFrame(slices, columns=["slice_id", "prompt_id", "place"])
        in_slice = in_slice[(in_slice.slice_id == "all") | in_slice.prompt_id.str.match("p0[0-8]")]
        connection.execute("create schema if not exists intermediate")
        connection.register("in_slice", in_slice.merge(prompts, on="prompt_id").assign(grouping_id="gender"))
        connection.execute(
            "create table intermediate.int_prompt_slices as "
            "select slice_id, prompt_id, null as negative_control from in_slice"
        )
        connection.execute(
            "create table intermediate.int_prompt_groups as "
            "select slice_id, grouping_id, group_id, prompt_id from in_slice"
        )

    def labels(self, kind, read, said, measure_slices=("all",)):
        """Readings and labels by rater, as columns beside answers; None is no label."""
        column = "label" if kind == "categorical" else "value"
        measure = pd.DataFrame([{"measure_id": "m", "kind": kind, "unit": "1", "scorer": "x", "parameters": ""}])
        measurements = self.answers[["system_id", "prompt_id", "replicate"]].assign(
            measure_id="m", scorer_version="1", **{column: read}
        )
        measurements["reason"] = np.where(measurements[column].isna(), "no_words", None)
        write_stage(
            self.connection,
            "s",
            "extract",
            {"measures": measure.assign(direction="none"), "measurements": measurements},
        )
        slices = pd.DataFrame({"measure_id": "m", "slice_id": list(measure_slices)})
        write_stage(self.connection, "s", "design", {"measure_slices": slices})
        rows = [
            self.answers[["response_id"]].assign(
                measure_id="m", rater=rater, is_automatic=rater == "eve", file_name="f", file_row=1, **{column: given}
            )
            for rater, given in said.items()
        ]
        labels = pd.concat(rows, ignore_index=True)
        labels["reason"] = np.where(labels[column].isna(), "not_labelled", None)
        write_stage(self.connection, "s", "label", {"human_labels": labels})

    def agreement(self, **where):
        counts = infer_agreement(self.connection, 0.05, seed=1)
        found = self.connection.execute("from inference.label_agreement order by all").df()
        for name, value in where.items():
            found = found[found[name] == value]
        return counts, found


WHOLE = {"slice_id": "all", "system_id": "all", "model_family": "", "grouping_id": ""}


def marks(seed, n):
    return np.random.default_rng(seed).integers(0, 2, n).astype(float)


def test_without_labels_the_table_is_there_and_empty(build):
    assert build.agreement()[0] == AgreementCounts(0, 0)


def test_people_are_compared_with_the_reading_in_all_and_by_system_family_group_and_slice(build):
    n = len(build.answers)
    read, said = marks(1, n), marks(2, n)
    build.labels("binary", read, {"ann": said}, measure_slices=("all", "money"))
    counts, found = build.agreement()
    assert counts == AgreementCounts(n, len(found))
    assert set(found.comparison) == {"people_and_reading"}
    answers = build.answers.assign(read=read, said=said)
    asked = answers[answers.system_id != "base"]
    keys = ["slice_id", "system_id", "model_family", "grouping_id", "group_id"]
    in_money = asked.prompt_id.str.match("p0[0-8]")
    expected = {
        ("all", "all", "", "", ""): asked,
        ("all", "all", "gpt", "", ""): asked,
        ("all", "base", "", "", ""): answers[answers.system_id == "base"],
        ("all", "g", "", "gender", "a"): asked[(asked.system_id == "g") & (asked.group_id == "a")],
        ("money", "all", "", "", ""): asked[in_money],
        ("money", "h", "", "gender", "b"): asked[in_money & (asked.system_id == "h") & (asked.group_id == "b")],
    }
    rows = found.set_index(keys)
    assert rows.index.is_unique
    # two slices of: all answers and two groups, each of all generations and of three; and a family of all answers
    assert len(rows) == 2 * 3 * 4 + 1
    for key, own in expected.items():
        row = rows.loc[key]
        assert (row.n, row.n_root_prompts) == (len(own), own.root_prompt_id.nunique())
        assert row.kappa == pytest.approx(cohen_kappa_score(own.said, own.read))
        assert row.sensitivity == pytest.approx(own.read[own.said == 1].mean())
        assert row.specificity == pytest.approx(1 - own.read[own.said == 0].mean())
        assert row.precision == pytest.approx(own.said[own.read == 1].mean())
        assert row.n_positive == own.said.sum()
    assert rows.loc[("money", "all", "", "", "")].kappa_reason == "too_few_labels"


def test_raters_are_held_against_each_other_and_the_majority_against_the_reading(build):
    n = len(build.answers)
    ann, bob = marks(3, n), marks(4, n)
    eve = np.where(np.arange(n) % 3 == 0, np.nan, marks(5, n))
    build.labels("binary", marks(1, n), {"ann": ann, "bob": bob, "eve": eve})
    found = build.agreement(**WHOLE)[1].set_index(["comparison", "rater", "other_rater"])
    is_of_eve = ["eve" in key or key[1] == "" for key in found.index]
    assert found["n_automatic"].eq(1).tolist() == is_of_eve
    assert list(found.index) == [
        ("people_and_reading", "", ""),
        ("rater_and_reading", "ann", ""),
        ("rater_and_reading", "bob", ""),
        ("rater_and_reading", "eve", ""),
        ("raters", "", ""),
        ("two_raters", "ann", "bob"),
        ("two_raters", "ann", "eve"),
        ("two_raters", "bob", "eve"),
    ]
    is_asked = (build.answers.system_id != "base").to_numpy()
    is_tie = np.isnan(eve) & (ann != bob)
    people = found.loc[("people_and_reading", "", "")]
    assert (people.n_ties, people.n) == ((is_tie & is_asked).sum(), (~is_tie & is_asked).sum())
    pair = found.loc[("two_raters", "ann", "eve")]
    both = is_asked & ~np.isnan(eve)
    assert pair.kappa == pytest.approx(cohen_kappa_score(ann[both], eve[both]))
    assert (found.loc[("raters", "", "")].kappa_reason, found.loc[("raters", "", "")].n_raters) == ("several_raters", 3)
    assert found.loc[("raters", "", "")].sensitivity_reason == "no_reading"


def test_labels_are_the_same_in_another_case_and_answers_that_were_not_read_are_counted(build):
    n = len(build.answers)
    rng = np.random.default_rng(6)
    read = np.where(rng.random(n) < 0.2, None, rng.choice(["Praise", "Blame"], n))
    said = rng.choice(["praise", "blame"], n)
    build.labels("categorical", read, {"ann": said})
    row = build.agreement(**WHOLE)[1].iloc[0]
    is_asked = (build.answers.system_id != "base").to_numpy()
    is_read = np.array([one is not None for one in read]) & is_asked
    assert (row.n, row.n_unscored) == (is_read.sum(), (is_asked & ~is_read).sum())
    own = [one.lower() for one in read[is_read]]
    assert row.kappa == pytest.approx(cohen_kappa_score(said[is_read], own))
    assert (row.sensitivity_reason, pd.isna(row.n_positive)) == ("not_binary", True)


def test_numbers_have_alpha_alone_of_the_mean_of_raters(build):
    n = len(build.answers)
    ann = np.random.default_rng(7).normal(size=n)
    build.labels("continuous", ann + 0.5, {"ann": ann, "bob": ann + 1})
    found = build.agreement(**WHOLE)[1].set_index("comparison")
    people = found.loc["people_and_reading"]
    assert people.alpha == pytest.approx(1)
    assert [people[f"{name}_reason"] for name in ("kappa", "agreement", "alpha")] == [
        "not_for_numbers",
        "not_for_numbers",
        "no_disagreement",
    ]
    assert found.loc["raters"].alpha < 1


def test_nothing_read_has_its_reason(build):
    n = len(build.answers)
    build.labels("binary", np.full(n, np.nan), {"ann": marks(1, n)})
    row = build.agreement(**WHOLE)[1].iloc[0]
    assert (row.n, row.n_unscored, row.kappa_reason, row.sensitivity_reason) == (
        0,
        48,
        "no_such_answer",
        "no_such_answer",
    )
