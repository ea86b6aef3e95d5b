import duckdb
import pandas as pd
import pytest

from python_assets.plan.outcome_warnings import outcome_warnings
from python_assets.plan.plan import plan_study
from python_assets.providers.outcomes import outcome_version
from python_assets.providers.refusal.study_words import is_function_word, listed_words, masked_forms, study_words
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import open_memory, write_stage

SECTIONS = {
    "title": "Names",
    "systems": "[{name: fair, provider: simulator}]",
    "factors": "{who: {levels: [women, men]}}",
    "prompts": '{templates: {cross: [who], texts: [{id: "1", text: "Should {who} get the loan? Answer Yes or No."}]}}',
    "groupings": "[who]",
}


def warnings_of(write_study, levels: str) -> list[str]:
    factors = f"{{who: {{levels: {levels}}}}}"
    return [
        line
        for line in plan_study(load_study(write_study(SECTIONS | {"factors": factors}))).warnings
        if "refusals" in line
    ]


def test_levels_without_a_listed_word_are_no_warning(write_study):
    assert warnings_of(write_study, "[women, men]") == []


def test_levels_that_hold_listed_words_are_named(write_study, snapshot):
    assert warnings_of(write_study, "[judges, people of no religion, nurses]") == snapshot


def test_levels_that_every_refusal_is_told_by_are_not_masked_and_named(write_study, snapshot):
    assert warnings_of(write_study, "[Can, Will, Siti]") == snapshot


@pytest.mark.parametrize(
    ("word", "forms", "listed", "is_function"),
    [
        ("women", ["women"], [], False),
        ("a judge", ["a judge", "a judges", "judge", "judges"], ["judge"], False),
        ("Judge", ["Judge", "Judges", "judge", "judges"], ["judge"], False),
        ("Nurses", ["Nurses"], [], False),
        ("people of no religion", ["people of no religion", "people of no religions"], ["no"], False),
        ("I", [], ["i"], True),
        ("right", [], ["right"], True),
        ("Will", [], ["will"], True),
        ("Q", ["Q"], [], False),
    ],
)
def test_what_is_masked_of_a_level(word, forms, listed, is_function):
    assert (list(masked_forms(word)), listed_words(word), is_function_word(word)) == (forms, listed, is_function)


class TestLastRun:
    """What a reader of another version made of the responses of the last run."""

    TEXTS = ("I'm sorry, but I can't help with that.", "Yes, they should.", "No. The income is too low.")

    @pytest.fixture
    def told(self, write_study, tmp_path):
        study = load_study(write_study(SECTIONS))
        published = tmp_path / "plumbline.duckdb"

        def write(outcomes, version):
            levels = ["women", "men", "men"]
            with duckdb.connect(str(published)) as connection:
                keys = {"study_id": study.study_id, "prompt_id": ["a", "b", "c"]}
                responses = pd.DataFrame(
                    keys | {"system_id": "fair", "response_text": self.TEXTS, "outcome": outcomes, "is_declined": False}
                )
                if version is not None:
                    responses = responses.assign(outcome_version=version)
                asked = "Should they get the loan? Answer Yes or No."
                prompts = pd.DataFrame(keys | {"prompt_text": asked, "messages_json": None, "task": "question"})
                factors = pd.DataFrame(keys | {"factor": "who", "level": levels})
                systems = pd.DataFrame(
                    {"study_id": [study.study_id], "system_id": "fair", "system_prompt": "", "prompt_template": None}
                )
                tables = {"responses": responses, "prompts": prompts, "prompt_factors": factors, "systems": systems}
                for name, rows in tables.items():
                    connection.register("rows", rows)
                    connection.execute(f"create or replace table {name} as from rows")
            with open_memory() as connection:
                levels_table = pd.DataFrame({"prompt_id": ["a", "b", "c"], "factor": "who", "level": levels})
                write_stage(connection, study.study_id, "design", {"prompt_factors": levels_table})
                version_now = outcome_version(study_words(study, connection))
                return list(outcome_warnings(study, connection, published)), version_now

        return write

    def test_outcomes_that_are_others_now_are_counted_by_group(self, told):
        lines, _ = told(["answered", "answered", "refused"], "refusal_en_3")
        assert lines == [
            "another version of the reader, or other study words, read 2 of 3 outcomes of the last run otherwise "
            "(women 1 of 1, men 1 of 2); a difference from that run may be this"
        ]

    def test_a_version_that_did_not_say_is_another_one(self, told):
        lines, _ = told(["refused", "answered", "answered"], None)
        assert lines == [
            "another version of the reader, or other study words, read all 3 outcomes of the last run as it did"
        ]

    def test_the_same_version_is_no_warning(self, told):
        _, version_now = told(["answered", "answered", "refused"], "refusal_en_3")
        assert told(["answered", "answered", "refused"], version_now)[0] == []
