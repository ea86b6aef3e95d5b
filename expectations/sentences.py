"""What raw.sentences must satisfy: a kept sentence is about the level it is kept for."""

from typing import Final

from great_expectations import ExpectationSuite
from great_expectations import expectations as gxe
from great_expectations.expectations.metadata_types import FailureSeverity
from great_expectations.expectations.row_conditions import Column

from expectations.few_unexpected import suite_of
from expectations.keys import filled, has_rows, unique
from expectations.rules import few_removed, few_unexpected
from python_assets.study.study import Study

KEYS: Final = ("sentence_id",)
_IS_KEPT: Final = Column("dropped_reason").is_null()
_N_KEPT: Final = "select count(*) from batch where dropped_reason is null"
# a found keyword that names another level is no loss: the next one was taken
_CUT: Final = "stage = 'scrape' and rule not in ('keyword_of_another_level', 'keyword_of_the_domain')"
_LEVELS: Final = "materialise the scrape stage again after a change of prompts.scrape.levels or keywords"


def suite(study: Study) -> ExpectationSuite:
    """The expectations on raw.sentences."""
    source = f"from raw.documents where study_id = '{study.study_id}'"
    return suite_of(
        "sentences",
        [
            has_rows("sentences", "give prompts.scrape.sources a text with whole sentences"),
            *filled("sentence_id", "document_id", "source_tag", "sentence_text"),
            unique(*KEYS),
            few_unexpected(
                "expect_a_document",
                ["document_id"],
                description="every sentence is of a document in raw.documents",
                notes="materialise the scrape stage again",
                unexpected="""
                    select sentence_id, document_id
                    from batch
                    anti join raw.documents using (study_id, document_id)
                """,
            ),
            *(
                gxe.ExpectColumnValuesToNotBeNull(
                    column=column, row_condition=_IS_KEPT, description=f"a kept sentence has a {column}", notes=_LEVELS
                )
                for column in ("level", "keyword")
            ),
            gxe.ExpectColumnValuesToBeInSet(
                column="level",
                value_set=study.prompts.scrape.levels if study.prompts.scrape else [],
                row_condition=_IS_KEPT,
                description="the level of a kept sentence is one of the study",
                notes=_LEVELS,
            ),
            few_unexpected(
                "expect_a_keyword",
                ["level", "keyword"],
                description="the keyword of a kept sentence is one of its level in raw.keywords",
                notes="materialise the scrape stage again",
                unexpected="""
                    select sentence_id, level, keyword
                    from batch
                    anti join raw.keywords using (study_id, level, keyword)
                    where dropped_reason is null
                """,
                evaluated=_N_KEPT,
            ),
            few_unexpected(
                "expect_keyword_in_sentence",
                ["keyword", "sentence_text"],
                description="a kept sentence holds its keyword",
                notes="materialise the scrape stage again after a change of prompts.scrape.keywords",
                unexpected="""
                    select sentence_id, keyword, left(sentence_text, 200) as sentence_text
                    from batch
                    where dropped_reason is null and not contains(lower(sentence_text), lower(keyword))
                """,
                evaluated=_N_KEPT,
            ),
            gxe.ExpectCompoundColumnsToBeUnique(
                column_list=["source_tag", "level", "sentence_text"],
                row_condition=_IS_KEPT,
                severity=FailureSeverity.WARNING,
                description="a sentence is kept once for a level and source tag",
                notes="remove the repeated passage from the source: it weighs more than once",
            ),
            few_unexpected(
                "expect_documents_in_use",
                ["document_id"],
                severity="warning",
                description="every document gives at least one kept sentence",
                notes="check the keywords against the document, or remove it from prompts.scrape.sources",
                unexpected=f"""
                    select document_id, uri
                    {source}
                        and document_id not in (select document_id from batch where dropped_reason is null)
                """,
                evaluated=f"select count(*) {source}",
            ),
            # what is cut from a source leaves fewer sentences, not wrong ones
            few_removed(study, _CUT, "warning"),
        ],
    )
