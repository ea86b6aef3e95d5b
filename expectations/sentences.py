"""What raw.sentences must satisfy: a kept sentence is about the level it is kept for."""

from typing import Final

from expectations.rule import Rule, expect_few_removed, expect_filled, expect_rows, expect_unique_keys

TABLE: Final = "sentences"
KEPT = "select count(*) from batch where dropped_reason is null"
RULES: Final[tuple[Rule, ...]] = (
    expect_rows(TABLE, "Give prompts.scrape.sources a text with whole sentences."),
    expect_filled(("sentence_id", "document_id", "source_tag", "sentence_text")),
    expect_unique_keys(("sentence_id",)),
    Rule(
        name="expect_a_document",
        columns="document_id",
        severity="critical",
        description="every sentence is of a document in raw.documents",
        remedy="Materialise the scrape stage again.",
        unexpected="""
            select sentence_id, document_id from batch anti join raw.documents using (study_id, document_id)
        """,
    ),
    Rule(
        name="expect_level_and_keyword",
        columns="level, keyword",
        severity="critical",
        description="a kept sentence has a keyword and a level, which is one of the study",
        remedy="Materialise the scrape stage again after a change of prompts.scrape.levels or keywords.",
        unexpected="""
            select sentence_id, level, keyword
            from batch
            where dropped_reason is null
                and (level is null or keyword is null or level not in (select level from {scraped_levels}))
        """,
        evaluated=KEPT,
    ),
    Rule(
        name="expect_a_keyword",
        columns="level, keyword",
        severity="critical",
        description="the keyword of a kept sentence is one of its level in raw.keywords",
        remedy="Materialise the scrape stage again.",
        unexpected="""
            select sentence_id, level, keyword
            from batch
            anti join raw.keywords using (study_id, level, keyword)
            where dropped_reason is null
        """,
        evaluated=KEPT,
    ),
    Rule(
        name="expect_keyword_in_sentence",
        columns="keyword, sentence_text",
        severity="critical",
        description="a kept sentence holds its keyword",
        remedy="Materialise the scrape stage again after a change of prompts.scrape.keywords.",
        unexpected="""
            select sentence_id, keyword, left(sentence_text, 200) as sentence_text
            from batch
            where dropped_reason is null and not contains(lower(sentence_text), lower(keyword))
        """,
        evaluated=KEPT,
    ),
    Rule(
        name="expect_distinct_sentences",
        columns="source_tag, level, sentence_text",
        severity="warning",
        description="a sentence is kept once for a level and source tag",
        remedy="Remove the repeated passage from the source: it weighs more than once.",
        unexpected="""
            select source_tag, level, left(sentence_text, 200) as sentence_text, count(*) as n_rows
            from batch
            where dropped_reason is null
            group by source_tag, level, batch.sentence_text
            having count(*) > 1
        """,
        evaluated=KEPT,
    ),
    Rule(
        name="expect_documents_in_use",
        columns="document_id",
        severity="warning",
        description="every document gives at least one kept sentence",
        remedy="Check the keywords against the document, or remove it from prompts.scrape.sources.",
        unexpected="""
            select document_id, uri
            from raw.documents
            where study_id = '{study_id}'
                and document_id not in (select document_id from batch where dropped_reason is null)
        """,
        evaluated="select count(*) from raw.documents where study_id = '{study_id}'",
    ),
    # what is cut from a source leaves fewer sentences, not wrong ones
    expect_few_removed("stage = 'scrape'", "warning"),
)
