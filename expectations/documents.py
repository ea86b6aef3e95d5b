"""What raw.documents must satisfy: every sentence can be traced to a text that was really there."""

from typing import Final

from expectations.rule import Rule, expect_filled, expect_rows, expect_unique_keys

TABLE: Final = "documents"
RULES: Final[tuple[Rule, ...]] = (
    expect_rows(TABLE, "Give prompts.scrape.sources at least one text that can be read."),
    expect_filled(("document_id", "source_tag", "document_text")),
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
)
