import pytest

from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import IMPORT, TEMPLATES, scrape, write_scores


@pytest.mark.parametrize("name", ["scores.csv", "scores.jsonl", "scores.parquet", "scores.xlsx"])
def test_columns_are_looked_up_in_the_table(tmp_path, problem_texts, name):
    write_scores(tmp_path, name)
    prompts = (
        f"{{import: {{path: {name}, columns: {{prompt: [id, idd], generation: model, replicate: auto, "
        "response: answr}, factors: {gender: gender}}}"
    )
    sections = {
        **IMPORT,
        "prompts": prompts,
        "measures": "[{name: s, kind: continuous, column: score, baseline_column: scores}]",
    }
    there = "'id', 'model', 'answer', 'sex', 'score'"
    assert problem_texts(sections, check_files=True) == [
        f'prompts.import.columns.prompt[1]: got "idd"; expected a column of {name}: {there}; did '
        "you mean 'id'?",
        f'prompts.import.columns.response: got "answr"; expected a column of {name}: {there}; '
        "did you mean 'answer'?",
        f'prompts.import.factors.gender: got "gender"; expected a column of {name}: {there}; '
        "correct the name of the column",
        f'measures[0].baseline_column: got "scores"; expected a column of {name}: {there}; '
        "did you mean 'score'?",
    ]


def test_an_import_whose_columns_are_there_is_valid(tmp_path, write_study):
    write_scores(tmp_path, "scores.csv")
    study = load_study(write_study(IMPORT))
    assert [generation.generation_id for generation in study.generations] == ["*"]
    assert study.groupings == [("gender",)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "gone.md",
            "expected a file, but there is none at {folder}/gone.md; correct the path, which starts ",
        ),
        ("*.txt", "expected a pattern that a file matches; correct the path"),
        (
            "a.rtf",
            "expected a file that ends in '.txt', '.md', '.markdown', '.html', '.htm', '.xhtml', '.pdf', "
            "'.docx'; convert the text, or rename the file",
        ),
        (".", "expected a folder with files that end in '.txt', '.md', "),
    ],
)
def test_a_text_that_cannot_be_read_is_told(tmp_path, write_study, problem_texts, name, expected):
    (tmp_path / "a.rtf").touch()
    sections = scrape(sources=f'[{{tag: article, path: "{name}"}}]')
    assert load_study(write_study(sections), check_files=False)
    [line] = problem_texts(sections, check_files=True)
    assert line.startswith(f'prompts.scrape.sources[0].path: got "{name}"; ')
    assert expected.format(folder=tmp_path) in line


def test_a_text_of_one_keyword_must_be_there(problem_texts):
    keywords = "{Ideraland: [{keyword: Ideraland, sources: [{tag: a, path: gone.md}]}]}"
    [_, line] = problem_texts(scrape(keywords=keywords), check_files=True)
    assert line.startswith(
        'prompts.scrape.keywords.Ideraland[0].sources[0].path: got "gone.md"; expected a file'
    )


def test_a_text_that_an_extension_draws_on_must_be_there(problem_texts):
    extension = "{book: {type: rag, path: gone.md}}"
    generations = f"[{{name: '{{extension}}', provider: simulator, extension: {extension}}}]"
    (_, line) = problem_texts({**scrape(), "generations": generations}, check_files=True)
    assert line.startswith('generations[0].extension.book.path: got "gone.md"; expected a file, but there')


def test_word_vectors_must_be_there(tmp_path, write_study, problem_texts):
    sections = {**TEMPLATES, "embedding": "{vectors: gone.txt}"}
    assert problem_texts(sections, check_files=True) == [
        f'embedding.vectors: got "gone.txt"; expected a file, but there is none at {tmp_path / "gone.txt"}; '
        "correct the path, which starts from the folder of the study file"
    ]
    (tmp_path / "gone.txt").touch()
    assert load_study(write_study(sections), check_files=True)


def test_a_table_that_is_not_there_or_is_none_is_told(tmp_path, problem_texts):
    assert "expected a file, but there is none at" in problem_texts(IMPORT, check_files=True)[0]
    (tmp_path / "scores.csv").write_bytes(b"")
    [line] = problem_texts(IMPORT, check_files=True)
    assert line.startswith('prompts.import.path: got "scores.csv"; expected a table that can be read (')


def test_functions_beside_the_study_file_must_be_there_and_are_not_imported(
    tmp_path, write_study, problem_texts
):
    sections = {
        **TEMPLATES,
        "generations": '[{name: own, provider: "my_models:answer"}]',
        "measures": '[{name: own, kind: continuous, function: "my_scores:score"}]',
    }
    assert problem_texts(sections, check_files=True) == [
        'generations[0].provider: got "my_models:answer"; expected a function in my_models.py beside '
        "the study file; put my_models.py there",
        'measures[0].function: got "my_scores:score"; expected a function in my_scores.py beside the study '
        "file; put my_scores.py there",
    ]
    for name in ("my_models", "my_scores"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit", encoding="utf-8")
    assert load_study(write_study(sections)).measures[0].function == "my_scores:score"


TRUTH = "category,group,count,period,source,licence\nyea,F,3,2024,o,CC0\nyea,M,5,2024,o,CC0\n"


def with_truth(entry, labels="[yea, nay]"):
    measure = f"{{name: answer, choices: {labels}, ground_truth: {entry}}}"
    factors = "{gender: {levels: [F, M], reference: M}}"
    return {**TEMPLATES, "factors": factors, "groupings": "[gender]", "measures": f"[{measure}]"}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            "{path: truth.csv}",
            "measures[0].ground_truth.mapping: got {}; expected what label 'nay' is there: one of 'yea'; "
            "add it, or write 'nay' under without:",
        ),
        (
            "{path: truth.csv, without: [nay], period: 2006}",
            'measures[0].ground_truth.period: got "2006"; expected a table of shares (truth.csv has no 2006; '
            "its periods are 2024); write one of them, or latest",
        ),
        (
            "{path: gone.csv}",
            'measures[0].ground_truth.path: got "gone.csv"; expected a table of shares (',
        ),
        (
            "{path: truth.csv, without: [nay], stratum: old}",
            'measures[0].ground_truth.stratum: got "old"; expected a table of shares (truth.csv has ',
        ),
        (
            "singstat_industry",
            'measures[0].ground_truth.table: got "singstat_industry"; expected a packaged table: ',
        ),
        ("{period: 2024}", "table, a packaged one, or path, a file of one's own"),
    ],
)
def test_a_table_of_real_shares_is_read_before_anything_runs(
    tmp_path, problem_texts, write_study, entry, expected
):
    (tmp_path / "truth.csv").write_text(TRUTH, encoding="utf-8")
    [line] = problem_texts(with_truth(entry), check_files=True)
    assert expected in line


def test_a_table_whose_names_are_those_of_the_study_is_valid(tmp_path, write_study):
    (tmp_path / "truth.csv").write_text(TRUTH, encoding="utf-8")
    study = load_study(write_study(with_truth("{path: truth.csv, without: [nay]}")))
    assert study.measures[0].ground_truth.without == ["nay"]
