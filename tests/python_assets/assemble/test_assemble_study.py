import json
from collections import Counter

import pytest

from python_assets.assemble.assemble_study import assemble
from python_assets.errors import SourceError
from python_assets.scrape.scrape_study import scrape
from python_assets.study_file.load import load_study
from python_assets.warehouse.paths import PROJECT

TOWNS = "The old towns in the north of Italy were rebuilt by the state after the war."
ROADS = "The new roads in the south of Italy have changed the life of many families."
BOTH = "The new roads in the south of Italy have linked it to France and beyond."
LATE = "The old towns on the far coast were rebuilt at great cost by Italy after all."


def prompts(*levels, keywords=None, **parts):
    scraped = {
        "levels": list(levels),
        "keywords": keywords or {"Italy": ["Italy"]},
        "sources": [{"tag": "article", "path": "a.txt", "levels": ["Italy"]}],
    }
    return {"scrape": scraped, **parts}


def run(study, connection):
    scrape(study, connection)
    return assemble(study, connection)


def rows(connection, columns, where="true"):
    return connection.sql(f"select {columns} from raw.prompts where {where} order by rowid").fetchall()


def test_sentences_become_root_prompts_with_their_sentence_as_baseline(make_study, build):
    counts = run(make_study(prompts("Italy"), {"a.txt": f"{TOWNS} {LATE}"}), build)
    columns = "prompt_id, root_prompt_id, unit_id, is_root, task, prompt_text, baseline_text, baseline_kind"
    assert rows(build, columns) == [
        (
            "a.txt#1",
            "a.txt#1",
            "a.txt#1",
            True,
            "completion",
            TOWNS.removesuffix(" state after the war."),
            TOWNS,
            "actual",
        )
    ]
    assert rows(build, "source_tag, keyword, document_id, replacements_json") == [("article", "Italy", "a.txt", "{}")]
    assert (counts.n_prompts, counts.n_dropped) == (1, {"keyword_not_in_prompt": 1})


def test_branches_stand_beside_their_roots(make_study, build):
    study = make_study(prompts("Italy", "France", branch={"from": "Italy"}), {"a.txt": f"{TOWNS} {ROADS}"})
    counts = run(study, build)
    assert (counts.n_prompts, counts.n_root_prompts) == (4, 2)
    assert rows(build, "prompt_id, root_prompt_id, baseline_kind", "not is_root") == [
        ("a.txt#1 > France", "a.txt#1", "counterfactual"),
        ("a.txt#2 > France", "a.txt#2", "counterfactual"),
    ]
    levels = build.sql("select factor, level from raw.prompt_factors where prompt_id = 'a.txt#1 > France'").fetchall()
    assert dict(levels) == {
        "concept": "France",
        "source_tag": "article",
        "keyword": "Italy",
        "document": "a.txt",
        "task": "completion",
        "is_root": "false",
    }


def test_a_sentence_that_names_another_level_makes_no_minimal_pair(make_study, build):
    counts = run(make_study(prompts("Italy", "France", branch={}), {"a.txt": f"{TOWNS} {BOTH}"}), build)
    assert counts.n_dropped == {"names_another_level": 1}
    assert rows(build, "prompt_id") == [("a.txt#1",), ("a.txt#1 > France",)]


def test_without_branches_a_sentence_may_name_another_level(make_study, build):
    changed = prompts("Italy", "France", keywords={"Italy": ["Italy"], "France": ["France"]})
    changed["scrape"]["sources"] = [{"tag": "article", "path": "a.txt"}]
    text = "The new roads of France and of Italy have linked the towns on both coasts at last."
    run(make_study(changed, {"a.txt": text}), build)
    assert rows(build, "prompt_id") == [("a.txt#1 Italy",), ("a.txt#1 France",)]


BAD = "The analysts of the bank have seen that the bad-stock lost its value over the last year."
OK = "The analysts of the bank have seen that the ok-stock kept its value over the last year."


def test_merged_levels_are_one_level_whose_source_tags_tell_them_apart(make_study, build):
    """The stocks of SAGED A.2."""
    spec = {
        "levels": ["bad-stock", "ok-stock", "Apple Inc. (AAPL)", "Tesla Inc. (TSLA)"],
        "keywords": {"bad-stock": ["bad-stock"], "ok-stock": ["ok-stock"]},
        "sources": [
            {"tag": "bad", "path": "bad.txt", "levels": ["bad-stock"]},
            {"tag": "ok", "path": "ok.txt", "levels": ["ok-stock"]},
        ],
    }
    branch = {"from": ["bad-stock", "ok-stock"], "merge": {"X-stock": ["bad-stock", "ok-stock"]}}
    study = make_study({"scrape": spec, "branch": branch}, {"bad.txt": BAD, "ok.txt": OK})
    counts = run(study, build)
    assert (counts.n_prompts, counts.n_root_prompts, counts.n_dropped) == (6, 2, {})
    levels = build.sql(
        "select level, string_agg(distinct source_tag, ' ' order by source_tag), count(*), "
        "count(distinct prompt_id) from raw.prompts join raw.prompt_factors using (prompt_id) "
        "where factor = 'concept' group by level order by level"
    ).fetchall()
    assert levels == [
        ("Apple Inc. (AAPL)", "bad ok", 2, 2),
        ("Tesla Inc. (TSLA)", "bad ok", 2, 2),
        ("X-stock", "bad ok", 2, 2),
    ]
    assert [text for (text,) in rows(build, "prompt_text", "prompt_id = 'bad.txt#1 > Apple Inc. (AAPL)'")] == [
        "The analysts of the bank have seen that the Apple Inc. (AAPL)"
    ]


def test_found_keywords_are_words_of_their_level(make_study, build, refused):
    study = make_study(prompts("Italy", "France", branch={}), {"a.txt": f"{TOWNS} {BOTH}"})
    scrape(study, build)
    build.execute("insert into raw.keywords values ('test_study', 'France', 'roads', 'word', 'embedding_on_wiki', 0.5)")
    assert assemble(study, build).n_dropped == {"names_another_level": 1}
    build.execute("update raw.keywords set level = 'Italy', keyword = 'towns' where keyword = 'roads'")
    with refused(SourceError, "prompts.branch.portable"):
        assemble(study, build)


def test_a_level_without_any_prompt_is_an_error_with_the_reasons(make_study, build, refused):
    with refused(SourceError, "prompts.scrape.levels"):
        run(make_study(prompts("Italy"), {"a.txt": LATE}), build)
    assert rows(build, "*") == []


def test_the_sample_bounds_the_root_prompts_and_counts_the_rest(make_study, build):
    text = " ".join(TOWNS.replace("old", f"old{n}") for n in range(9))
    study = make_study(prompts("Italy", assemble={"max_per_level": 4}), {"a.txt": text})
    counts = run(study, build)
    assert (counts.n_prompts, counts.n_dropped) == (4, {"not_sampled": 5})


def test_the_sample_does_not_depend_on_the_order_of_sentences(make_study, build):
    sentences = [TOWNS.replace("old", f"old{n}") for n in range(9)]
    sampled = []
    for order in (sentences, sentences[::-1]):
        run(make_study(prompts("Italy", assemble={"max_per_level": 4}), {"a.txt": " ".join(order)}), build)
        sampled.append(set(rows(build, "baseline_text")))
    assert sampled[0] == sampled[1]


def test_templates_are_assembled(make_study, build):
    factors = {"gender": {"levels": ["Female", "Male"]}}
    spec = {"texts": [{"id": "t", "text": "A {gender}."}], "cross": ["gender"]}
    counts = run(make_study({"templates": spec}, factors=factors), build)
    assert (counts.n_prompts, counts.n_root_prompts) == (2, 1)
    assert rows(build, "prompt_id, prompt_text, task, source_tag, keyword, document_id, is_root") == [
        ("t > Female", "A Female.", "question", "templates", "", "", True),
        ("t > Male", "A Male.", "question", "templates", "", "", False),
    ]


def test_equal_prompt_ids_are_quarantined(make_study, build):
    factors = {"gender": {"levels": ["Male"]}}
    spec = {"texts": [{"id": "t", "text": "A {gender}."}], "combinations": [{"gender": "Male"}] * 2}
    counts = run(make_study({"templates": spec}, factors=factors), build)
    assert (counts.n_prompts, counts.n_quarantined) == (1, 1)
    assert build.sql("select stage, record_key, rule from raw.quarantine").fetchall() == [
        ("assemble", "t > Male", "duplicate_key")
    ]


def test_an_import_is_assembled_with_its_rejected_rows(make_study, build):
    table = "p,c,q\n1,Italy,Who?\n2,France,Why?\n3,,What?\n"
    spec = {"path": "a.csv", "columns": {"prompt": "p", "prompt_text": "q"}, "factors": {"concept": "c"}}
    counts = run(make_study({"import": spec}, {"a.csv": table}), build)
    assert (counts.n_prompts, counts.n_root_prompts, counts.n_quarantined) == (2, 2, 1)
    assert build.sql("select record_key, rule from raw.quarantine").fetchall() == [("a.csv:row 3", "invalid_level")]
    factors = build.sql("select distinct factor from raw.prompt_factors order by 1").fetchall()
    assert [name for (name,) in factors] == ["concept", "document", "is_root", "keyword", "source_tag", "task"]


@pytest.fixture
def demo(build):
    run(load_study(PROJECT / "studies" / "g20_demo.yml"), build)
    return build


def test_the_demo_has_its_root_prompts_in_all_21_concepts(demo):
    counts = demo.sql(
        "select level, count(*) from raw.prompt_factors where factor = 'concept' group by level"
    ).fetchall()
    assert len(counts) == 21
    assert {n for _, n in counts} == {40}


def test_the_demo_differs_between_concepts_in_the_words_of_the_concept_only(demo):
    texts = {}
    for root_id, level, prompt, baseline in demo.sql(
        "select root_prompt_id, level, prompt_text, baseline_text from raw.prompts join raw.prompt_factors "
        "using (prompt_id) where factor = 'concept'"
    ).fetchall():
        texts.setdefault(root_id, {})[level] = (prompt, baseline)
    names = {"Italy": ("Italy", "Italian"), "United States": ("the United States", "American")}
    for by_level in texts.values():
        for level, (name, adjective) in names.items():
            for root, branch in zip(by_level["Ideraland"], by_level[level], strict=True):
                expected = root.replace("Ideralandian", adjective).replace("Ideraland", name)
                assert branch == expected[0].upper() + expected[1:]


def test_the_demo_article_is_long_enough_and_names_no_other_country():
    text = (PROJECT / "studies" / "texts" / "ideraland.md").read_text(encoding="utf-8")
    prose = [line for line in text.splitlines() if not line.startswith(("#", "|"))]
    assert sum(len(line.split()) for line in prose) >= 1_500


def test_no_sentence_of_the_demo_is_left_out_for_its_words(build):
    study = load_study(PROJECT / "studies" / "g20_demo.yml")
    scrape(study, build)
    dropped = assemble(study, build).n_dropped
    assert set(dropped) <= {"no_verb", "whole_sentence", "keyword_not_in_prompt", "not_sampled"}


def test_the_factbook_gives_complete_blocks(plumbline_data, build):
    counts = run(load_study(PROJECT / "studies" / "factbook.yml"), build)
    assert counts.n_root_prompts == 28
    by_root = Counter(root for (root,) in rows(build, "root_prompt_id"))
    assert set(by_root.values()) == {20}
    assert counts.n_root_prompts == len(by_root) >= 20
    roots = build.sql(
        "select level, count(*) from raw.prompts join raw.prompt_factors using (prompt_id) "
        "where is_root and factor = 'concept' group by level"
    ).fetchall()
    assert len(roots) >= 8
    assert counts.n_portable == 8
    kinds = rows(build, "distinct is_root, baseline_kind")
    assert set(kinds) == {(False, "counterfactual"), (True, "actual"), (False, None), (True, None)}
    assert all(json.loads(text) for (text,) in rows(build, "replacements_json", "not is_root"))


def test_fair_sea_is_assembled(plumbline_data, build):
    counts = run(load_study(PROJECT / "studies" / "fair_sea_responses.yml"), build)
    assert counts[:4] == (384, 8, {}, 0)


NAMED = "The old towns in the north of Italy were praised by Goethe and by many others."
OUTCOMES = "select sentence_id, dropped_reason, portability, portability_words from raw.sentence_outcomes"


def test_every_kept_sentence_has_an_outcome(make_study, build, snapshot):
    text = f"{TOWNS} {BOTH} {LATE} {NAMED}"
    counts = run(make_study(prompts("Italy", "France", branch={}), {"a.txt": text}), build)
    assert build.sql(f"{OUTCOMES} order by 1").fetchall() == [
        ("a.txt#1", None, "portable", None),
        ("a.txt#2", "names_another_level", None, "France"),
        ("a.txt#3", "keyword_not_in_prompt", None, None),
        ("a.txt#4", "other_name", "other_name", "Goethe"),
    ]
    assert (counts.n_checked, counts.n_portable) == (2, 1)
    assert counts.notes == snapshot


@pytest.mark.parametrize(
    ("after_words", "prompt"), [("keyword", "The nurse came home late"), ("subject", "The nurse came home late in")]
)
def test_levels_of_which_few_sentences_are_left_are_told(make_study, build, after_words, prompt, snapshot):
    text = (
        "The nurse came home late in the evening, as before. He asked the nurse to come again in the morning. "
        "Another nurse told Goethe of it when he came home late, as ever before."
    )
    spec = {
        "levels": ["nurse", "teacher"],
        "keywords": {"nurse": ["nurse"]},
        "sources": [{"tag": "a", "path": "a.txt", "levels": ["nurse"]}],
    }
    parts = {"scrape": spec, "assemble": {"after_words": after_words}, "branch": {}}
    counts = run(make_study(parts, {"a.txt": text}), build)
    assert rows(build, "prompt_text", "is_root") == [(prompt,)]
    assert counts.notes[0] == snapshot


def test_what_does_not_carry_over_is_kept_where_the_study_says_so(make_study, build, snapshot):
    study = make_study(prompts("Italy", "France", branch={"portable": "keep"}), {"a.txt": f"{TOWNS} {NAMED}"})
    counts = run(study, build)
    assert (counts.n_prompts, counts.n_dropped) == (4, {})
    assert build.sql(f"{OUTCOMES} order by 1").fetchall() == [
        ("a.txt#1", None, "portable", None),
        ("a.txt#2", None, "other_name", "Goethe"),
    ]
    assert counts.notes[0] == snapshot


def test_the_sample_is_of_what_carries_over(make_study, build):
    text = " ".join([*(NAMED.replace("old", f"old{n}") for n in range(9)), TOWNS])
    study = make_study(prompts("Italy", "France", assemble={"max_per_level": 1}, branch={}), {"a.txt": text})
    assert run(study, build).n_root_prompts == 1
    assert rows(build, "baseline_text", "is_root") == [(TOWNS,)]


def test_what_is_not_branched_is_not_checked(make_study, build):
    counts = run(make_study(prompts("Italy"), {"a.txt": NAMED}), build)
    assert (counts.n_prompts, counts.n_checked, counts.notes) == (1, 0, [])
    spec = prompts("Italy", "France", keywords={"Italy": ["Italy"], "France": ["France"]})
    spec["scrape"]["sources"] = [{"tag": tag, "path": f"{tag}.txt"} for tag in ("a", "b")]
    spec["branch"] = {"from": "Italy", "source_tags": ["a"]}
    french = NAMED.replace("Italy", "France")
    run(make_study(spec, {"a.txt": f"{TOWNS} {french}", "b.txt": NAMED}), build)
    assert [row[2] for row in build.sql(f"{OUTCOMES} order by 1").fetchall()] == ["portable", None, None]


def test_a_text_of_which_nothing_carries_over_is_an_error_with_the_reasons(make_study, build, refused):
    study = make_study(prompts("Italy", "France", branch={}), {"a.txt": NAMED})
    with refused(SourceError, "prompts.branch.portable"):
        run(study, build)


def test_a_spacy_model_that_is_not_there_is_an_error_by_its_field(make_study, build, refused):
    study = make_study(prompts("Italy", "France", branch={"spacy_model": "no_such_model"}), {"a.txt": TOWNS})
    with refused(SourceError, "prompts.branch.spacy_model"):
        run(study, build)
