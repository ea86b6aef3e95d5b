import pytest

from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import IMPORT, TEMPLATES, scrape, write_scores


@pytest.mark.parametrize("name", ["scores.csv", "scores.jsonl", "scores.parquet", "scores.xlsx"])
def test_columns_are_looked_up_in_the_table(tmp_path, mistaken, name):
    write_scores(tmp_path, name)
    prompts = (
        f"{{import: {{path: {name}, columns: {{prompt: [id, idd], system: model, replicate: auto, "
        "response: answr}, factors: {gender: gender}}}"
    )
    sections = {
        **IMPORT,
        "prompts": prompts,
        "measures": "[{name: s, kind: continuous, column: score, baseline_column: scores}]",
    }
    assert mistaken(sections, check_files=True) == [
        "prompts.import.columns.prompt[1]",
        "prompts.import.columns.response",
        "prompts.import.factors.gender",
        "measures[0].baseline_column",
    ]


def test_an_import_whose_columns_are_there_is_valid(tmp_path, write_study):
    write_scores(tmp_path, "scores.csv")
    study = load_study(write_study(IMPORT))
    assert [system.system_id for system in study.systems] == ["*"]
    assert study.groupings == [("gender",)]


@pytest.mark.parametrize("name", ["gone.md", "*.txt", "a.rtf", "."])
def test_a_text_that_cannot_be_read_is_told(tmp_path, write_study, mistaken, name):
    (tmp_path / "a.rtf").touch()
    sections = scrape(sources=f'[{{tag: article, path: "{name}"}}]')
    assert load_study(write_study(sections), check_files=False)
    assert mistaken(sections, check_files=True) == ["prompts.scrape.sources[0].path"]


def test_a_text_of_one_keyword_must_be_there(mistaken):
    keywords = "{Ideraland: [{keyword: Ideraland, sources: [{tag: a, path: gone.md}]}]}"
    field = "prompts.scrape.keywords.Ideraland[0].sources[0].path"
    assert field in mistaken(scrape(keywords=keywords), check_files=True)


def test_a_text_that_an_extension_draws_on_must_be_there(mistaken):
    extension = "{book: {type: rag, path: gone.md}}"
    systems = f"[{{name: '{{extension}}', provider: simulator, extension: {extension}}}]"
    found = mistaken({**scrape(), "systems": systems}, check_files=True)
    assert found[1:] == ["systems[0].extension.book.path"]


def test_word_vectors_must_be_there(tmp_path, write_study, mistaken):
    sections = {**TEMPLATES, "embedding": "{vectors: gone.txt}"}
    assert mistaken(sections, check_files=True) == ["embedding.vectors"]
    (tmp_path / "gone.txt").touch()
    assert load_study(write_study(sections), check_files=True)


def test_a_table_that_is_not_there_or_is_none_is_told(tmp_path, mistaken):
    assert mistaken(IMPORT, check_files=True) == ["prompts.import.path"]
    (tmp_path / "scores.csv").write_bytes(b"")
    assert mistaken(IMPORT, check_files=True) == ["prompts.import.path"]


def test_functions_beside_the_study_file_must_be_there_and_are_not_imported(tmp_path, write_study, mistaken):
    sections = {
        **TEMPLATES,
        "systems": '[{name: own, provider: "my_models:answer"}]',
        "measures": '[{name: own, kind: continuous, function: "my_scores:score"}]',
    }
    assert mistaken(sections, check_files=True) == ["systems[0].provider", "measures[0].function"]
    for name in ("my_models", "my_scores"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit", encoding="utf-8")
    assert load_study(write_study(sections)).measures[0].function == "my_scores:score"


TRUTH = "category,group,count,period,source,licence\nyea,F,3,2024,o,CC0\nyea,M,5,2024,o,CC0\n"


def with_truth(entry, labels="[yea, nay]"):
    measure = f"{{name: answer, choices: {labels}, ground_truth: {entry}}}"
    factors = "{gender: {levels: [F, M], reference: M}}"
    return {**TEMPLATES, "factors": factors, "groupings": "[gender]", "measures": f"[{measure}]"}


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ("{path: truth.csv}", ".mapping"),
        ("{path: truth.csv, without: [nay], period: 2006}", ".period"),
        ("{path: gone.csv}", ".path"),
        ("{path: truth.csv, without: [nay], stratum: old}", ".stratum"),
        ("singstat_industry", ".table"),
        ("{period: 2024}", ""),
    ],
)
def test_a_table_of_real_shares_is_read_before_anything_runs(tmp_path, mistaken, entry, field):
    (tmp_path / "truth.csv").write_text(TRUTH, encoding="utf-8")
    assert mistaken(with_truth(entry), check_files=True) == [f"measures[0].ground_truth{field}"]


def test_a_table_whose_names_are_those_of_the_study_is_valid(tmp_path, write_study):
    (tmp_path / "truth.csv").write_text(TRUTH, encoding="utf-8")
    study = load_study(write_study(with_truth("{path: truth.csv, without: [nay]}")))
    assert study.measures[0].ground_truth.without == ["nay"]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (None, "put mine.py beside the study file"),
        ("def other(values): ...", "without it"),
        ("def top(values, b): ...", "called with 1 argument"),
        ("def top(:", "a file that can be imported"),
    ],
)
def test_a_function_that_is_a_statistic_must_be_there_and_take_the_values(
    write_study, problems_of, tmp_path, source, told
):
    if source is not None:
        (tmp_path / "mine.py").write_text(source)
    error = problems_of(
        write_study({**TEMPLATES, "analysis": '{custom_statistics: {top: "mine:top"}}'}), check_files=True
    )
    assert [problem.field for problem in error.problems] == ["analysis.custom_statistics.top"]
    assert told in str(error)
