"""What raw.measurements must satisfy: a finite value on its scale or a reason, for every response, once."""

from typing import Final

from great_expectations import ExpectationSuite
from great_expectations import expectations as gxe

from expectations.few_unexpected import suite_of
from expectations.keys import filled, has_rows, unique
from expectations.record_rules import responses_in_every_cell
from expectations.rules import Rule, few_unexpected, relation
from python_assets.study.base import AS_WRITTEN_READING
from python_assets.study.study import Study, make_id

KEYS: Final = ("system_id", "prompt_id", "replicate", "measure_id")
_SHOWN: Final = ", ".join(KEYS)
_AGAIN: Final = "materialise the extract stage again"
_SCALE: Final = "correct the scale of the measure in the study file, or the values of the imported column"
_LARGEST: Final = 1e100  # engines raise or spread NaN on powers of larger values
# reasons of a text that was read and got no label
_UNSCORED: Final = ("no_rule_matched", "several_rules_matched", "no_label_near", "several_labels_near", "no_words")
_ROUNDING: Final = 1e-6  # distances come from 32-bit numbers


def suite(study: Study) -> ExpectationSuite:
    """The expectations on raw.measurements."""
    return suite_of(
        "measurements",
        [
            has_rows("measurements", "give the study a measure"),
            *filled("system_id", "prompt_id", "measure_id", "scorer_version"),
            unique(*KEYS),
            *(
                gxe.ExpectColumnValuesToBeBetween(
                    column=column,
                    min_value=-_LARGEST,
                    max_value=_LARGEST,
                    description=f"{column} is finite and at most {_LARGEST:g} in size",
                    notes=_SCALE,
                )
                for column in ("value", "baseline_value")
            ),
            *_of_measures(),
            *_of_responses(study),
            responses_in_every_cell(study),
            _few_removed(study),
            _few_without_score(study),
            *_taxonomy_coverage(study),
        ],
    )


def _of_measures() -> list[Rule]:
    return [
        few_unexpected(
            "expect_a_measure",
            ["measure_id"],
            description="every measurement is of a measure in raw.measures",
            notes=_AGAIN,
            unexpected=f"select {_SHOWN} from batch anti join raw.measures using (study_id, measure_id)",
        ),
        few_unexpected(
            "expect_value_or_reason",
            ["value", "label", "reason"],
            description="there is either a value, or a label if the measure is categorical, or a reason",
            notes=_AGAIN,
            unexpected=f"""
                select {_SHOWN}, value, label, reason
                from batch
                inner join raw.measures using (study_id, measure_id)
                where (if(kind = 'categorical', label is null, value is null)) <> (reason is not null)
                    or (kind = 'categorical' and value is not null)
            """,
        ),
        few_unexpected(
            "expect_values_on_scale",
            ["value", "baseline_value"],
            description="values are between scale_low and scale_high of their measure",
            notes=_SCALE,
            unexpected=f"""
                select {_SHOWN}, value, baseline_value, scale_low, scale_high
                from batch
                inner join raw.measures using (study_id, measure_id)
                where least(value, baseline_value) < scale_low - {_ROUNDING}
                    or greatest(value, baseline_value) > scale_high + {_ROUNDING}
            """,
            evaluated="select count(*) from batch where value is not null",
        ),
        few_unexpected(
            "expect_binary_values",
            ["value"],
            description="values of a binary measure are 0 or 1",
            notes="declare the measure continuous, or mend the imported column",
            relations={
                "of_binary": """
                    select batch.*
                    from batch
                    inner join raw.measures using (study_id, measure_id)
                    where kind = 'binary' and value is not null
                """
            },
            unexpected=f"select {_SHOWN}, value from of_binary where value not in (0, 1)",
            evaluated="select count(*) from of_binary",
        ),
    ]


def _of_responses(study: Study) -> list[Rule]:
    study_condition = f"study_id = '{study.study_id}'"
    sliced = [(make_id(measure.name),) for measure in study.measures if measure.slice is not None]
    return [
        few_unexpected(
            "expect_a_response",
            ["system_id", "prompt_id", "replicate"],
            description="every measurement is of a response in raw.responses or of the baseline of a prompt",
            notes=_AGAIN,
            unexpected=f"""
                select {_SHOWN}
                from batch
                anti join raw.responses using (study_id, system_id, prompt_id, replicate)
                where not exists (
                    select 1
                    from raw.systems as g
                    inner join raw.prompts as p using (study_id)
                    where g.is_baseline
                        and g.study_id = batch.study_id
                        and g.system_id = batch.system_id
                        and p.prompt_id = batch.prompt_id
                        and batch.replicate = 0
                )
            """,
        ),
        few_unexpected(
            "expect_measurements_of_every_response",
            ["measure_id"],
            description=(
                "every response has a row of every measure that is not bound to a slice, and of a measure as written "
                "where its generation has any"
            ),
            notes=_AGAIN,
            relations={
                "sliced": relation({"measure_id": "varchar"}, sliced),
                # a measure as written stands in the generations of which a value differs (extract.neutral_reading)
                "required": f"""
                    select g.system_id, m.measure_id
                    from raw.measures as m
                    inner join raw.systems as g using (study_id)
                    where m.{study_condition}
                        and not exists (
                            select 1
                            from sliced as s
                            where m.measure_id = s.measure_id
                                or starts_with(m.measure_id, s.measure_id || '_')
                        )
                        and (
                            not ends_with(m.measure_id, '{AS_WRITTEN_READING}')
                            or exists (
                                select 1
                                from batch as b
                                where b.measure_id = m.measure_id and b.system_id = g.system_id
                            )
                        )
                """,
                "measured": """
                    select system_id, prompt_id, replicate, count(*) as n_measures
                    from batch
                    inner join required using (system_id, measure_id)
                    group by system_id, prompt_id, replicate
                """,
                "expected": "select system_id, count(*) as n_required from required group by system_id",
            },
            unexpected=f"""
                select r.system_id, r.prompt_id, r.replicate, coalesce(n_measures, 0) as n_measures
                from raw.responses as r
                inner join expected using (system_id)
                left join measured using (system_id, prompt_id, replicate)
                where r.{study_condition} and coalesce(n_measures, 0) < n_required
            """,
            evaluated=f"select count(*) from raw.responses where {study_condition}",
        ),
    ]


def _few_removed(study: Study) -> Rule:
    share = study.analysis.quality.max_removed_share
    return few_unexpected(
        "expect_few_removed",
        ["measure_id"],
        description=f"of every measure at most a share of {share!r} of the entries is in quarantine",
        notes="read raw.quarantine and mend the column, or raise analysis.quality.max_removed_share",
        unexpected=f"""
            with removed as (
                select
                    regexp_extract(record_key, '[^/]*$') as measure_id,
                    count(*) as n_removed,
                    min(rule) as rule
                from raw.quarantine
                where study_id = '{study.study_id}' and stage = 'extract'
                group by regexp_extract(record_key, '[^/]*$')
            ),

            measured as (select measure_id, count(*) as n_rows from batch group by measure_id)

            select measure_id, n_removed, n_rows, rule
            from removed
            left join measured using (measure_id)
            where n_removed > {share!r} * coalesce(n_rows, 0)
        """,
        evaluated="select count(distinct measure_id) from batch",
    )


def _few_without_score(study: Study) -> Rule:
    share = study.analysis.quality.max_removed_share
    return few_unexpected(
        "expect_few_without_score",
        ["reason"],
        severity="warning",
        description=(
            f"of every measure at most a share of {share!r} of the rows has no score because its classifier, "
            "function or judge failed, or because the text is in another language"
        ),
        notes=(
            "read the texts of these rows; declare the languages of the measure, mend its function or its "
            "rubric, or raise analysis.quality.max_removed_share"
        ),
        unexpected=f"""
            with failed as (
                select measure_id, reason, count(*) as n_failed
                from batch
                where reason in ('classifier_failed', 'function_failed', 'judge_unusable', 'other_language')
                group by measure_id, reason
            ),

            measured as (select measure_id, count(*) as n_rows from batch group by measure_id)

            select measure_id, reason, n_failed, n_rows
            from failed
            inner join measured using (measure_id)
            where n_failed > {share!r} * n_rows
        """,
        evaluated="select count(distinct measure_id) from batch",
    )


def _taxonomy_coverage(study: Study) -> list[Rule]:
    measures = [(make_id(measure.name),) for measure in study.measures if measure.taxonomy is not None]
    if not measures:
        return []
    share = study.analysis.quality.unscored_allowed(is_taxonomy=True)
    unscored = ", ".join(f"'{reason}'" for reason in _UNSCORED)
    return [
        few_unexpected(
            "expect_taxonomy_coverage",
            ["label"],
            severity="warning",
            description=(
                f"of every generation at most a share of {share!r} of the answers that a measure with a "
                "taxonomy reads has no label of it"
            ),
            notes=(
                "read these answers; add synonyms or a step to the taxonomy, or raise "
                "analysis.quality.max_unscored_share"
            ),
            relations={
                "aligned": relation({"measure_id": "varchar"}, measures),
                "answers": f"""
                    select {_SHOWN}, reason
                    from batch
                    inner join aligned using (measure_id)
                    inner join raw.systems using (study_id, system_id)
                    where not is_baseline and (reason is null or reason in ({unscored}))
                """,
                "too_many": f"""
                    select system_id, measure_id
                    from answers
                    group by system_id, measure_id
                    having count(reason) > {share!r} * count(*)
                """,
            },
            unexpected=f"select {_SHOWN}, reason from answers where reason is not null",
            evaluated="select count(*) from answers",
            at_most="if(exists(select 1 from too_many), 0.0, 1.0)",
        )
    ]
