from python_assets.errors import SourceError
from python_assets.scrape.scrape_study import scrape
from python_assets.study_file.load import load_study

SENTENCE = "Italy has many old towns along its coast."


def prompts(**changes):
    return {
        "scrape": {
            "levels": ["Italy"],
            "keywords": {"Italy": ["Italy", "Italian"]},
            "sources": [{"tag": "article", "path": "*.txt", "licence": "CC0"}],
            **changes,
        }
    }


def rows(connection, table, columns):
    return connection.sql(f"select {columns} from raw.{table} order by rowid").fetchall()


def test_documents_keywords_and_sentences_are_written(make_study, build):
    study = make_study(prompts(), {"a.txt": f"{SENTENCE} Nothing here."})
    counts = scrape(study, build)
    assert rows(build, "documents", "document_id, source_tag, source_type, uri, licence, length(sha256)") == [
        ("a.txt", "article", "local", "a.txt", "CC0", 64)
    ]
    assert rows(build, "keywords", "level, keyword, keyword_type, keyword_provider") == [
        ("Italy", "Italy", "name", "study file"),
        ("Italy", "Italian", "form", "study file"),
    ]
    assert rows(build, "sentences", "sentence_id, level, keyword, sentence_text, dropped_reason") == [
        ("a.txt#1", "Italy", "Italy", SENTENCE, None),
        ("a.txt#2", None, None, "Nothing here.", "no_keyword"),
    ]
    assert counts[:5] == (1, 2, 1, {"no_keyword": 1}, 0)


def test_a_keyword_without_a_sentence_is_counted(make_study, build):
    assert scrape(make_study(prompts(), {"a.txt": SENTENCE}), build).keywords_without_sentences == ["Italy: Italian"]


def test_a_rerun_replaces_what_was_there(make_study, build):
    study = make_study(prompts(), {"a.txt": SENTENCE})
    scrape(study, build)
    scrape(study, build)
    assert len(rows(build, "sentences", "*")) == 1


def test_a_sentence_in_two_documents_counts_once(make_study, build):
    counts = scrape(make_study(prompts(), {"a.txt": SENTENCE, "b.txt": SENTENCE}), build)
    assert (counts.n_sentences_kept, counts.n_dropped) == (1, {"duplicate": 1})


def test_undecodable_bytes_are_quarantined_and_the_rest_is_used(make_study, build):
    counts = scrape(make_study(prompts(), {"a.txt": b"\xff" + SENTENCE.encode()}), build)
    assert (counts.n_sentences_kept, counts.n_quarantined) == (1, 1)
    assert rows(build, "quarantine", "stage, record_key, rule") == [("scrape", "a.txt@0", "undecodable_bytes")]


def test_emoji_and_right_to_left_text_come_through(make_study, build):
    text = "מדינת ישראל 😀 היא מדינה קטנה מאוד על חוף הים."
    study = make_study(prompts(levels=["Israel"], keywords={"Israel": ["ישראל"]}), {"a.txt": text})
    scrape(study, build)
    assert rows(build, "sentences", "sentence_text, dropped_reason") == [(text, None)]


def test_no_sentence_for_a_level_is_an_error_that_names_concept_and_keywords(make_study, build, refused):
    study = make_study(prompts(), {"a.txt": "Nothing of that country stands in this text at all."})
    with refused(SourceError, "prompts.scrape.keywords.Italy"):
        scrape(study, build)
    assert rows(build, "documents", "*") == []


def test_a_level_that_branching_reaches_may_stay_without_sentences(make_study, build):
    changed = prompts(levels=["Italy", "France"], keywords={"Italy": ["Italy"], "France": ["France"]})
    study = make_study({**changed, "branch": {"from": "Italy", "to": "all"}}, {"a.txt": SENTENCE})
    assert scrape(study, build).keywords_without_sentences == ["France: France"]


def test_two_tags_for_one_file_are_two_documents(make_study, build):
    sources = [{"tag": tag, "path": "a.txt"} for tag in ("one", "two")]
    scrape(make_study(prompts(sources=sources), {"a.txt": SENTENCE}), build)
    assert rows(build, "documents", "document_id, source_tag") == [("a.txt (one)", "one"), ("a.txt (two)", "two")]


def test_one_tag_twice_for_one_file_is_one_document_of_both_levels(make_study, build):
    sources = [{"tag": "one", "path": "a.txt", "levels": [level]} for level in ("Italy", "France")]
    keywords = {"Italy": ["Italy"], "France": ["France"]}
    text = "Italy and France share a border in the high mountains."
    scrape(make_study(prompts(levels=["Italy", "France"], keywords=keywords, sources=sources), {"a.txt": text}), build)
    assert rows(build, "sentences", "sentence_id, level") == [("a.txt#1 Italy", "Italy"), ("a.txt#1 France", "France")]


def test_a_document_name_that_cannot_be_a_level_is_an_error(make_study, build, refused):
    with refused(SourceError, "prompts.scrape.sources"):
        scrape(make_study(prompts(), {"a x b.txt": SENTENCE}), build)


TARGETED = {"keyword": "Rome", "type": "capital", "sources": [{"tag": "of Rome", "path": "rome.md"}]}
ROME = "Rome has many old houses along its river. Italy lies around Rome on every single side."


def test_a_source_of_one_keyword_is_searched_for_it_alone(make_study, build):
    study = make_study(
        prompts(keywords={"Italy": ["Italy", TARGETED]}),
        {"a.txt": f"{SENTENCE} In Rome there are many more old towns.", "rome.md": ROME},
    )
    scrape(study, build)
    assert rows(build, "keywords", "keyword, keyword_type, keyword_provider") == [
        ("Italy", "name", "study file"),
        ("Rome", "capital", "study file"),
    ]
    assert rows(build, "sentences", "sentence_id, source_tag, keyword, dropped_reason") == [
        ("a.txt#1", "article", "Italy", None),
        ("a.txt#2", "article", "Rome", None),
        ("rome.md#1", "of Rome", "Rome", None),
        ("rome.md#2", "of Rome", "Rome", None),
    ]


def test_a_keyword_can_keep_out_of_the_shared_sources(make_study, build):
    study = make_study(
        prompts(keywords={"Italy": ["Italy", {**TARGETED, "use_shared": False}]}),
        {"a.txt": f"{SENTENCE} In Rome there are many more old towns.", "rome.md": ROME},
    )
    scrape(study, build)
    assert rows(build, "sentences", "sentence_id, keyword, dropped_reason") == [
        ("a.txt#1", "Italy", None),
        ("a.txt#2", None, "no_keyword"),
        ("rome.md#1", "Rome", None),
        ("rome.md#2", "Rome", None),
    ]


def test_one_file_and_tag_for_a_level_and_for_one_keyword_is_one_document_for_both(make_study, build):
    targeted = {**TARGETED, "use_shared": False, "sources": [{"tag": "article", "path": "a.txt"}]}
    study = make_study(prompts(keywords={"Italy": ["Italy", targeted]}), {"a.txt": f"{SENTENCE} {ROME}"})
    scrape(study, build)
    assert rows(build, "documents", "document_id") == [("a.txt",)]
    assert [keyword for (keyword,) in rows(build, "sentences", "keyword")] == ["Italy", "Rome", "Italy"]


def test_a_document_is_read_for_levels_with_keywords_alone(make_study, build):
    changed = {**prompts(levels=["Italy", "France"], keywords={"Italy": ["Italy"]}), "branch": {}}
    scrape(make_study(changed, {"a.txt": SENTENCE}), build)
    assert rows(build, "sentences", "sentence_id, level") == [("a.txt#1", "Italy")]


def test_keywords_are_stored_as_sentences_hold_them(make_study, build):
    changed = prompts(keywords={"Italy": ["Tu\u0308rin"]})
    scrape(make_study(changed, {"a.txt": "In Türin there are many old towns by the coast."}), build)
    assert rows(build, "keywords", "keyword") == rows(build, "sentences", "keyword") == [("Türin",)]


def test_the_factbook_gives_sentences_to_every_country(plumbline_data, make_study, build):
    from python_assets.warehouse.paths import PROJECT

    counts = scrape(load_study(PROJECT / "studies" / "factbook.yml"), build)
    assert counts.n_documents == 20
    assert counts.n_sentences_kept > 150
    assert "Turkey: Türkiye" in counts.keywords_without_sentences
    levels = build.sql("select count(distinct level) from raw.sentences where dropped_reason is null").fetchone()
    assert levels == (20,)


def test_a_keyword_that_is_a_noun_of_its_own_is_noted_where_sentences_begin_with_it(make_study, build, snapshot):
    text = (
        "Turkey is eaten with bread and with onions at home. "
        "The coast of Turkey is as long as that of its neighbours. "
        "Chad has fewer towns than most of its many neighbours."
    )
    spec = prompts(levels=["Turkey", "Chad"], keywords={"Turkey": ["Turkey"], "Chad": ["Chad"]})
    assert scrape(make_study(spec, {"a.txt": text}), build).notes == snapshot
