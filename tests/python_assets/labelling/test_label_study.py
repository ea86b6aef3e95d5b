import json

import openpyxl
import pandas as pd
import pytest

from python_assets.labelling.label_study import label_study
from python_assets.labelling.written_sheets import FORMATS
from python_assets.study.study import HumanLabels, PairLabels
from tests.python_assets.labelling.conftest import publish


def fill(path, labels, output="csv"):
    """Write labels into a sheet as it lies, those of its first rows, and save it as its program does."""
    if output == "csv":
        sheet = pd.read_csv(path, dtype=str, keep_default_na=False)
        sheet.loc[: len(labels) - 1, "label"] = labels
        sheet.to_csv(path, index=False)
    elif output == "xlsx":
        book = openpyxl.load_workbook(path)
        sheet = book["labels"]
        column = [cell.value for cell in sheet[1]].index("label") + 1
        for row, label in enumerate(labels, start=2):
            # a spreadsheet keeps what looks like a number as one
            sheet.cell(row, column).value = float(label) if label.replace(".", "").isdigit() else label
        book.save(path)
    else:
        tasks = json.loads(path.read_text(encoding="utf-8"))
        for number, task in enumerate(tasks):
            value = {"type": "choices", "value": {"choices": [labels[number]]}} if number < len(labels) else None
            result = [{"from_name": "label", "to_name": "text", **value}] if value else []
            task |= {"id": number, "annotations": [{"completed_by": 1, "result": result}] if value else []}
        path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


class Read:
    """What the stage made of sheets: labels by rater, and what is in quarantine, by rule."""

    def __init__(self, studied, human=(), pairs=()):
        studied.study = studied.study.model_copy(update={"human_labels": list(human), "pair_labels": list(pairs)})
        with studied.build() as connection:
            self.counts = label_study(studied.study, connection)
            self.labels = connection.execute("from raw.human_labels order by rater, file_name, file_row").df()
            self.pairs = connection.execute("from raw.pair_labels order by file_row").df()
            bad = connection.execute("from raw.quarantine where stage = 'labels' order by record_key").df()
        self.bad = bad
        self.rules = list(bad["rule"])


@pytest.fixture
def read(studied):
    """Read sheets beside the answers of the study: (file, measure, rater) each."""

    def reader(*sheets, pairs=()):
        human = [HumanLabels(file=path.name, measure=measure, rater=rater) for path, measure, rater in sheets]
        return Read(studied, human, [PairLabels(file=path.name, rater=rater) for path, rater in pairs])

    return reader


def test_a_study_without_labels_has_empty_tables(read):
    found = read()
    assert found.counts == (0, 0, 0, 0)
    assert found.labels.empty and found.pairs.empty


@pytest.mark.parametrize("output", FORMATS)
def test_labels_come_back_to_their_answers(studied, read, output):
    sample = studied.draw("verdict", n=3)
    said = ["kind", "CRUEL", " kind "] * 4
    found = read((fill(studied.write(sample, output), said, output), "verdict", "anna"))
    assert found.counts == (12, 0, 0, 0)
    texts = sample.rows["text"].str.extract(r"the (\w+) of (t\d) says (\w+)").set_axis(["group", "root", "by"], axis=1)
    expected = [f"{by}-{root}-{group}" for group, root, by in texts.itertuples(index=False)]
    assert list(found.labels["response_id"]) == expected
    assert list(found.labels["value"]) == [1.0, 0.0, 1.0] * 4
    assert list(found.labels["label"]) == ["kind", "cruel", "kind"] * 4
    assert set(found.labels["rater"]) == {"anna"} and found.labels["reason"].isna().all()


@pytest.mark.parametrize(
    ("measure", "written", "label", "value"),
    [
        ("vader", "0.50", "0.50", 0.5),
        ("vader", "007e-1", "007e-1", 0.7),
        ("refusal", "Yes", "yes", 1.0),
        ("refusal", "0", "no", 0.0),
        ("refusal", "TRUE", "yes", 1.0),
        ("tone", "=Cold", "=cold", None),
    ],
)
def test_a_label_is_read_by_the_kind_of_its_measure(studied, read, measure, written, label, value):
    found = read((fill(studied.write(studied.draw(measure, n=1)), [written]), measure, "anna"))
    row = found.labels.iloc[0]
    assert row["label"] == label
    assert row["value"] == value if value is not None else pd.isna(row["value"])


@pytest.mark.parametrize(
    ("measure", "written"),
    [("vader", "2"), ("vader", "0,5"), ("vader", "nan"), ("vader", "1_0"), ("refusal", "maybe"), ("tone", "sofft")],
)
def test_a_mistyped_label_is_told_and_says_nothing(studied, read, measure, written, snapshot):
    found = read((fill(studied.write(studied.draw(measure, n=1)), [written]), measure, "anna"))
    assert found.rules == ["not_a_label"]
    assert found.bad["detail"][0] == snapshot
    row = found.labels.iloc[0]
    assert (row["label"], row["reason"]) == (written, "not_a_label") and pd.isna(row["value"])
    assert json.loads(found.bad["record_json"][0])["written"] == written


def test_a_blank_row_is_not_labelled(studied, read):
    found = read((fill(studied.write(studied.draw("verdict", n=1)), ["kind"]), "verdict", "anna"))
    assert found.counts == (4, 0, 3, 0)
    assert list(found.labels["reason"].fillna("")) == ["", *["not_labelled"] * 3]


def test_several_raters_and_measures_stand_beside_one_another(studied, read):
    sheets = []
    for measure, rater, label in (("verdict", "anna", "kind"), ("verdict", "ben", "cruel"), ("tone", "anna", "soft")):
        path = studied.write(studied.draw(measure, n=1), name=f"{measure}_{rater}")
        sheets.append((fill(path, [label] * 4), measure, rater))
    found = read(*sheets)
    assert found.labels.groupby(["measure_id", "rater"]).size().to_dict() == {
        ("tone", "anna"): 4,
        ("verdict", "anna"): 4,
        ("verdict", "ben"): 4,
    }
    assert found.rules == []


def test_people_of_one_export_are_raters_of_their_own(studied, read):
    path = studied.write(studied.draw("verdict", n=1), "label_studio")
    tasks = json.loads(path.read_text(encoding="utf-8"))
    for task in tasks:
        result = [{"from_name": "label", "type": "choices", "value": {"choices": ["kind"]}}]
        task["annotations"] = [{"completed_by": who, "result": result} for who in (1, 2)]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    found = read((path, "verdict", "team"))
    assert found.labels["rater"].value_counts().to_dict() == {"team 1": 4, "team 2": 4}


def edited(path, change):
    """A csv sheet after a change of its table."""
    sheet = pd.read_csv(path, dtype=str, keep_default_na=False)
    change(sheet).to_csv(path, index=False)
    return path


def test_rows_that_are_missing_are_told_by_their_place(studied, read, snapshot):
    path = fill(studied.write(studied.draw("verdict", n=1)), ["kind"] * 4)
    found = read((edited(path, lambda sheet: sheet.drop(index=[1, 3])), "verdict", "anna"))
    assert found.rules == ["missing_row"] * 2
    assert list(found.bad["detail"]) == snapshot
    assert len(found.labels) == 2


def test_a_sheet_that_raters_shared_between_files_lacks_nothing(studied, read):
    path = fill(studied.write(studied.draw("verdict", n=1)), ["kind"] * 4)
    other = path.with_name("rest.csv")
    other.write_bytes(path.read_bytes())
    edited(path, lambda sheet: sheet.iloc[:2])
    edited(other, lambda sheet: sheet.iloc[2:])
    assert read((path, "verdict", "anna"), (other, "verdict", "anna")).counts == (4, 0, 0, 0)


def test_a_row_that_stands_twice_counts_once(studied, read):
    path = fill(studied.write(studied.draw("verdict", n=1)), ["kind"] * 4)
    found = read((edited(path, lambda sheet: pd.concat([sheet, sheet.iloc[[0]]])), "verdict", "anna"))
    assert found.rules == ["labelled_twice"]
    assert len(found.labels) == 4 and found.labels["value"].eq(1).all()


def test_two_labels_of_one_rater_are_none(studied, read):
    path = fill(studied.write(studied.draw("verdict", n=1)), ["kind"] * 4)
    again = lambda sheet: pd.concat([sheet, sheet.iloc[[0]].assign(label="cruel")])  # noqa: E731
    found = read((edited(path, again), "verdict", "anna"))
    assert found.rules == ["labels_contradict"] * 2
    first = found.labels.iloc[0]
    assert first["reason"] == "labels_contradict" and pd.isna(first["value"]) and pd.isna(first["label"])


def test_a_row_left_blank_once_has_the_label_that_it_was_given(studied, read):
    path = fill(studied.write(studied.draw("verdict", n=1)), ["kind"] * 4)
    again = lambda sheet: pd.concat([sheet.iloc[[0]].assign(label=""), sheet])  # noqa: E731
    found = read((edited(path, again), "verdict", "anna"))
    assert found.rules == ["labelled_twice"]
    assert found.labels["value"].eq(1).all()


@pytest.mark.parametrize(
    ("column", "content", "rule"),
    [
        ("row_id", "r0123456789abcdef-01234567", "unknown_row"),
        ("row_id", "", "unknown_row"),
        ("row_id", "7", "unknown_row"),
        ("study", "another", "another_study"),
        ("measure", "tone", "another_measure"),
        ("text", "The rater wrote here", "text_moved"),
    ],
)
def test_a_row_of_something_else_is_told_and_counts_for_nothing(studied, read, column, content, rule, snapshot):
    path = fill(studied.write(studied.draw("verdict", n=1)), ["kind"] * 4)

    def change(sheet):
        sheet.loc[2, column] = content
        return sheet

    found = read((edited(path, change), "verdict", "anna"))
    assert found.rules == [rule]
    assert found.bad["detail"][0] == snapshot
    assert len(found.labels) == 3


def test_a_text_that_changed_since_is_not_the_one_that_was_labelled(studied, read):
    path = fill(studied.write(studied.draw("verdict", n=6)), ["kind"] * 24)
    with studied.build() as connection:
        connection.execute("update raw.responses set response_text = 'Anew' where response_id = 'plain-t0-man'")
    found = read((path, "verdict", "anna"))
    assert found.rules == ["text_changed"]
    assert "plain-t0-man" not in set(found.labels["response_id"])


def test_a_column_that_was_sorted_alone_is_told(studied, read):
    path = fill(studied.write(studied.draw("verdict", n=3)), ["kind"] * 12)
    found = read((edited(path, lambda sheet: sheet.assign(row_id=sorted(sheet["row_id"]))), "verdict", "anna"))
    assert set(found.rules) == {"text_moved"} and len(found.rules) + len(found.labels) == 12


def test_labels_may_name_answers_themselves(studied, read):
    path = studied.folder / "own.csv"
    path.write_text("response_id,label\nwarm-t1-man,soft\nwarm-t9-man,soft\n", encoding="utf-8")
    found = read((path, "tone", "script"))
    assert list(found.labels["response_id"]) == ["warm-t1-man"]
    assert found.rules == ["unknown_row"]


def test_answers_that_were_asked_alike_share_their_label(studied, read):
    with studied.build() as connection:
        connection.execute(
            "update raw.responses set response_id = 'same', response_text = 'Same' where prompt_id < 't1'"
        )

    publish(studied)
    sample = studied.draw("verdict", n=6)
    assert sample.rows["text"].eq("Same").sum() == 1
    found = read((fill(studied.write(sample), ["kind"] * len(sample.rows)), "verdict", "anna"))
    assert (found.labels["response_id"] == "same").sum() == 1


@pytest.mark.parametrize("output", FORMATS)
def test_pairs_come_back_to_their_branch(studied, read, output):
    sample = studied.draw_pairs(n=3)
    path = fill(studied.write(sample, output), ["yes", "no"], output)
    found = read(pairs=[(path, "anna")])
    places = sample.rows["text"].str.extract(r"place (\d)")[0]
    assert list(found.pairs["prompt_id"]) == [f"t{at}_man" for at in places]
    assert list(found.pairs["root_prompt_id"]) == [f"t{at}" for at in places]
    assert list(found.pairs["is_minimal_pair"].astype(object).where(found.pairs["reason"].isna(), None)) == [
        True,
        False,
        None,
    ]
    assert found.counts == (0, 3, 1, 0)


def test_a_branch_that_was_written_anew_is_not_the_one_that_was_judged(studied, read):
    path = fill(studied.write(studied.draw_pairs(n=6)), ["yes"] * 6)
    with studied.build() as connection:
        connection.execute("update raw.prompts set prompt_text = 'Anew' where prompt_id = 't0_woman'")
    assert read(pairs=[(path, "anna")]).rules == ["text_changed"]


def test_a_sheet_of_answers_holds_no_pairs(studied, read):
    path = fill(studied.write(studied.draw("refusal", n=1)), ["yes"] * 4)
    assert set(read(pairs=[(path, "anna")]).rules) == {"another_measure"}


def test_labels_may_name_answers_by_system_prompt_and_replicate(studied, read):
    path = studied.folder / "named.csv"
    path.write_text(
        "system_id,prompt_id,replicate,label\nplain,t0_woman,0,yes\nwarm,t0_man,0,no\nwarm,t0_man,1,no\n",
        encoding="utf-8",
    )
    found = read((path, "refusal", "anna"))
    assert list(found.labels["response_id"]) == ["plain-t0-woman", "warm-t0-man"]
    assert list(found.labels["value"]) == [1.0, 0.0]
    assert (found.rules, list(found.bad["record_key"])) == (["unknown_row"], ["named.csv:row 4"])
