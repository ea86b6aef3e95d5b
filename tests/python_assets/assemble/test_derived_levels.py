from python_assets.assemble.assemble_study import assemble
from python_assets.assemble.derived_levels import levels_of_texts
from python_assets.errors import SourceError
from python_assets.scrape.scrape_study import scrape
from python_assets.study.study import Factor
from python_assets.texts.patterns import PatternTimeout

HOLDER = {
    "type": "domain",
    "rules": {"male": ["he", "his", "him"], "female": ["she", "her"], "gender neutral": r"(?i)\bthe(y|ir|m)\b"},
    "otherwise": "no gender",
    "reference": "no gender",
}
TEXTS = {
    "1": "He lost his job. Should {stigma} matter?",
    "2": "She has {stigma}. Hire HER?",
    "3": "They have {stigma}.",
    "4": "Someone has {stigma}.",
    "5": "He told her of {stigma}.",
}
STIGMAS = ["Autism", "Depression", "Theft"]
CATEGORIES = "category,stigma,source\nHealth,Autism,a\nHealth,Depression,a\nCrime,Theft,b\n"


def templates(**factors):
    spec = {"texts": [{"id": key, "text": text} for key, text in TEXTS.items()], "cross": ["stigma"]}
    return {"templates": spec}, {"stigma": {"levels": STIGMAS}, **factors}


def levels_of(connection, factor):
    query = "select prompt_id, level from raw.prompt_factors where factor = ?"
    return dict(connection.execute(query, [factor]).fetchall())


def test_a_rule_gives_its_level_where_it_alone_fits(make_study, build):
    prompts, factors = templates(holder=HOLDER)
    assemble(make_study(prompts, factors=factors), build)
    levels = {key.split(" > ")[0]: level for key, level in levels_of(build, "holder").items()}
    assert levels == {"1": "male", "2": "female", "3": "gender neutral", "4": "no gender"}


def test_without_otherwise_a_text_that_no_rule_fits_has_no_level():
    factor = Factor(rules={"a": ["x"]})
    assert levels_of_texts(factor, ["x", "y", ""]) == ["a", None, None]


def test_labels_and_words_of_any_script_are_read():
    factor = Factor(rules={"weiblich ♀": ["Ärztin"], "男": "[他男]"})
    assert levels_of_texts(factor, ["Die ÄRZTIN kam", "他是医生"]) == ["weiblich ♀", "男"]


def test_scraped_prompts_are_read_each_in_its_own_words(make_study, build):
    text = "The old mayor of Italy was glad that the roads of the south had been built in time by his men."
    spec = {
        "levels": ["Italy", "France"],
        "keywords": {"Italy": ["Italy"]},
        "sources": [{"tag": "article", "path": "a.txt", "levels": ["Italy"]}],
    }
    named = {"rules": {"south": "Italy", "west": ["France"]}}
    study = make_study({"scrape": spec, "branch": {"from": "Italy"}}, {"a.txt": text}, factors={"place": named})
    scrape(study, build)
    assemble(study, build)
    assert levels_of(build, "place") == {"a.txt#1": "south", "a.txt#1 > France": "west"}


def imported(make_study, table, grouping="stigma", **factors):
    columns = {"prompt": "id", "prompt_text": "text"} if "text" in table else {"prompt": "id"}
    spec = {"path": "t.csv", "columns": columns, "factors": {"stigma": "stigma"}}
    files = {"t.csv": table, "categories.csv": CATEGORIES}
    return make_study({"import": spec}, files, factors=factors, groupings=[grouping])


def test_imported_prompts_are_read(make_study, build):
    assemble(imported(make_study, "id,stigma,text\n1,Theft,he stole\n2,Theft,it is\n", holder=HOLDER), build)
    assert levels_of(build, "holder") == {"1": "male", "2": "no gender"}


def test_an_import_without_texts_has_nothing_for_rules(make_study, build, refused):
    with refused(SourceError, "factors.holder.rules"):
        assemble(imported(make_study, "id,stigma\n1,Theft\n", holder=HOLDER), build)


def test_an_expression_without_end_is_an_error_that_names_its_factor(make_study, build, monkeypatch, refused):
    monkeypatch.setattr("python_assets.texts.patterns.PATTERN_SECONDS", 0.05)
    table = f"id,stigma,text\n1,Theft,{'a' * 60}b\n"
    with refused(PatternTimeout, "factors.holder.rules"):
        assemble(imported(make_study, table, holder={"rules": {"male": r"(a|aa)+$"}}), build)


def test_mapped_levels_follow_from_those_of_the_other_factor(make_study, build):
    category = {"map": {"from": "stigma", "file": "categories.csv"}}
    # declared before what it is mapped from: the order of the file does not matter
    kind = {"map": {"from": "category", "file": "kinds.csv"}}
    prompts, factors = templates(kind=kind, category=category)
    files = {"categories.csv": CATEGORIES, "kinds.csv": "category,kind\nHealth,body\nCrime,deed\n"}
    assemble(make_study(prompts, files, check_files=True, factors=factors), build)
    assert levels_of(build, "category") == {
        f"{t} > {s}": c for t in TEXTS for s, c in zip(STIGMAS, ["Health", "Health", "Crime"], strict=True)
    }
    assert set(levels_of(build, "kind").values()) == {"body", "deed"}


def test_an_imported_level_that_the_table_lacks_is_an_error_with_file_and_level(refused, make_study, build):
    category = {"map": {"from": "stigma", "file": "categories.csv"}}
    study = imported(make_study, "id,stigma\n1,Theft\n2,Größe\n", category=category)
    with refused(SourceError, "factors.category.map.file"):
        assemble(study, build)


def test_ten_thousand_levels_are_mapped(make_study, build):
    rows = [f"l{n}" for n in range(10_000)]
    study = imported(
        make_study,
        "id,stigma\n" + "".join(f"{n},{level}\n" for n, level in enumerate(rows)),
        "category",
        category={"map": {"from": "stigma", "file": "many.csv"}},
    )
    text = "stigma,category\n" + "".join(f"{level},c{n % 7}\n" for n, level in enumerate(rows))
    (study.folder / "many.csv").write_text(text)
    assemble(study, build)
    found = levels_of(build, "category")
    assert (len(found), found["8"]) == (10_000, "c1")
