"""What raw.documents must satisfy: every sentence can be traced to a text that was really there."""

from typing import Final

from great_expectations import ExpectationSuite
from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

from expectations.few_unexpected import suite_of
from expectations.keys import filled, has_rows, unique
from python_assets.study.study import Study

KEYS: Final = ("document_id",)
_OF_A_WIKI: Final = Column("source_type") == "wikipedia"


def suite(study: Study) -> ExpectationSuite:
    """The expectations on raw.documents."""
    return suite_of(
        "documents",
        [
            has_rows("documents", "give prompts.scrape.sources at least one text that can be read"),
            *filled("document_id", "source_tag", "uri", "document_text"),
            unique(*KEYS),
            gxe.ExpectColumnValuesToMatchRegex(
                column="sha256",
                regex="[0-9a-f]{64}",
                severity=FailureSeverity.WARNING,
                description="sha256 is 64 hexadecimal digits, which tell the text from a later version",
                notes="materialise the scrape stage again",
            ),
            gxe.ExpectCompoundColumnsToBeUnique(
                column_list=["source_tag", "sha256"],
                severity=FailureSeverity.WARNING,
                description="no two documents of a source tag are the same text",
                notes="remove one of them from prompts.scrape.sources: its sentences count once",
            ),
            *(
                gxe.ExpectColumnValuesToNotBeNull(
                    column=column,
                    row_condition=_OF_A_WIKI,
                    severity=FailureSeverity.WARNING,
                    description=f"a page of a wiki has its {column}, so that it is found and quoted again",
                    notes="materialise the scrape stage again, or write the licence in prompts.scrape.wiki",
                )
                for column in ("revision", "licence")
            ),
        ],
    )
