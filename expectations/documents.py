"""What raw.documents must satisfy: every sentence can be traced to a text that was really there."""

from typing import Final

from expectations.rule import Rule, expect_filled, expect_rows, expect_unique_keys

TABLE: Final = "documents"
RULES: Final[tuple[Rule, ...]] = (
    expect_rows(TABLE, "Give prompts.scrape.sources at least one text that can be read."),
    expect_filled(("document_id", "source_tag", "uri", "document_text")),
    expect_unique_keys(("document_id",)),
    Rule(
        name="expect_sha256",
        columns="sha256",
        severity="warning",
        description="sha256 is 64 hexadecimal digits, so that the text can be told from a later version",
        remedy="Materialise the scrape stage again.",
        unexpected="""
            select document_id, sha256 from batch where not regexp_full_match(sha256, '[0-9a-f]{{64}}')
        """,
    ),
    Rule(
        name="expect_distinct_documents",
        columns="source_tag, sha256",
        severity="warning",
        description="no two documents of a source tag are the same text",
        remedy="Remove one of them from prompts.scrape.sources: its sentences count once.",
        unexpected="""
            select source_tag, sha256, min(document_id) as document_id, count(*) as n_documents
            from batch
            group by source_tag, sha256
            having count(*) > 1
        """,
    ),
    Rule(
        name="expect_revision_and_licence",
        columns="revision, licence",
        severity="warning",
        description="a page of a wiki has its revision and licence, so that it can be found and quoted again",
        remedy="Materialise the scrape stage again, or write the licence in prompts.scrape.wiki.",
        unexpected="""
            select document_id, uri, revision, licence
            from batch
            where source_type = 'wikipedia' and (revision is null or licence is null)
        """,
    ),
)
