"""What raw.measurements must satisfy: a finite value on its scale or a reason, for every response, once."""

from typing import Final

from expectations.rule import Rule, expect_filled, expect_rows, expect_unique_keys

TABLE: Final = "measurements"
KEYS = "generation_id, prompt_id, replicate, measure_id"
AGAIN = "Materialise the extract stage again."
LARGEST = "1e100"  # engines raise or spread NaN on powers of larger values
ROUNDING = "1e-6"  # distances come from 32-bit numbers
CELLS: Final = """(
    with members as (
        select grouping_id, prompt_id, string_agg(level, ' x ' order by factor_position) as group_id
        from {grouping_factors} as g
        inner join raw.prompt_factors as f using (factor)
        where f.study_id = '{study_id}'
        group by grouping_id, prompt_id, n_factors
        having count(*) = n_factors
    )

    select
        generation_id,
        measure_id,
        grouping_id,
        group_id,
        count(*) filter (where reason is null) as n_responses
    from batch
    inner join members using (prompt_id)
    inner join raw.generations using (study_id, generation_id)
    where not is_baseline
    group by generation_id, measure_id, grouping_id, group_id
)"""
RULES: Final[tuple[Rule, ...]] = (
    expect_rows(TABLE, "Give the study a measure."),
    expect_filled(("generation_id", "prompt_id", "measure_id", "extractor_version")),
    expect_unique_keys(("generation_id", "prompt_id", "replicate", "measure_id")),
    Rule(
        name="expect_a_measure",
        columns="measure_id",
        severity="critical",
        description="every measurement is of a measure in raw.measures",
        remedy=AGAIN,
        unexpected=f"select {KEYS} from batch anti join raw.measures using (study_id, measure_id)",
    ),
    Rule(
        name="expect_a_response",
        columns="generation_id, prompt_id, replicate",
        severity="critical",
        description="every measurement is of a response in raw.responses or of the baseline of a prompt",
        remedy=AGAIN,
        unexpected=f"""
            select {KEYS}
            from batch
            anti join raw.responses using (study_id, generation_id, prompt_id, replicate)
            where not exists (
                select 1
                from raw.generations as g
                inner join raw.prompts as p using (study_id)
                where g.is_baseline
                    and g.study_id = batch.study_id
                    and g.generation_id = batch.generation_id
                    and p.prompt_id = batch.prompt_id
                    and batch.replicate = 0
            )
        """,
    ),
    Rule(
        name="expect_value_or_reason",
        columns="value, label, reason",
        severity="critical",
        description="there is either a value, or a label if the measure is categorical, or a reason",
        remedy=AGAIN,
        unexpected=f"""
            select {KEYS}, value, label, reason
            from batch
            inner join raw.measures using (study_id, measure_id)
            where (if(kind = 'categorical', label is null, value is null)) <> (reason is not null)
                or (kind = 'categorical' and value is not null)
        """,
    ),
    Rule(
        name="expect_values_on_scale",
        columns="value, baseline_value",
        severity="critical",
        description=f"values are finite, at most {LARGEST} in size and between scale_low and scale_high",
        remedy="Correct the scale of the measure in the study file, or the values of the imported column.",
        unexpected=f"""
            select {KEYS}, value, baseline_value, scale_low, scale_high
            from batch
            inner join raw.measures using (study_id, measure_id)
            where not (abs(value) <= {LARGEST} and abs(coalesce(baseline_value, 0)) <= {LARGEST})
                or least(value, baseline_value) < scale_low - {ROUNDING}
                or greatest(value, baseline_value) > scale_high + {ROUNDING}
        """,
        evaluated="select count(*) from batch where value is not null",
    ),
    Rule(
        name="expect_binary_values",
        columns="value",
        severity="critical",
        description="values of a binary measure are 0 or 1",
        remedy="Declare the measure continuous, or mend the imported column.",
        unexpected=f"""
            select {KEYS}, value
            from batch
            inner join raw.measures using (study_id, measure_id)
            where kind = 'binary' and value not in (0, 1)
        """,
        evaluated="""
            select count(*)
            from batch
            inner join raw.measures using (study_id, measure_id)
            where kind = 'binary' and value is not null
        """,
    ),
    Rule(
        name="expect_measurements_of_every_response",
        columns="measure_id",
        severity="critical",
        description="every response has a row of every measure that is not bound to a slice",
        remedy=AGAIN,
        unexpected="""
            with required as (
                select measure_id
                from raw.measures as m
                where study_id = '{study_id}'
                    and not exists (
                        select 1
                        from {sliced_measures} as s
                        where m.measure_id = s.measure_id or starts_with(m.measure_id, s.measure_id || '_')
                    )
            ),

            measured as (
                select generation_id, prompt_id, replicate, count(*) as n_measures
                from batch
                inner join required using (measure_id)
                group by generation_id, prompt_id, replicate
            )

            select r.generation_id, r.prompt_id, r.replicate, coalesce(n_measures, 0) as n_measures
            from raw.responses as r
            left join measured using (generation_id, prompt_id, replicate)
            where r.study_id = '{study_id}' and coalesce(n_measures, 0) < (select count(*) from required)
        """,
        evaluated="select count(*) from raw.responses where study_id = '{study_id}'",
    ),
    Rule(
        name="expect_responses_in_every_cell",
        columns="grouping_id, group_id, measure_id",
        severity="warning",
        description="every group has at least {min_responses_per_cell} values of a generation and measure",
        remedy="Add prompts or replicates, or read statistics of the group with their small numbers in mind.",
        unexpected=f"select * from {CELLS} where n_responses < {{min_responses_per_cell}}",
        evaluated=f"select count(*) from {CELLS}",
    ),
    Rule(
        name="expect_few_removed",
        columns="measure_id",
        severity="critical",
        description="of every measure at most a share of {max_removed_share} of the entries is in quarantine",
        remedy="Read raw.quarantine and mend the column, or raise analysis.quality.max_removed_share.",
        unexpected="""
            with removed as (
                select
                    regexp_extract(record_key, '[^/]*$') as measure_id,
                    count(*) as n_removed,
                    min(rule) as rule
                from raw.quarantine
                where study_id = '{study_id}' and stage = 'extract'
                group by regexp_extract(record_key, '[^/]*$')
            ),

            measured as (select measure_id, count(*) as n_rows from batch group by measure_id)

            select measure_id, n_removed, n_rows, rule
            from removed
            left join measured using (measure_id)
            where n_removed > {max_removed_share} * coalesce(n_rows, 0)
        """,
        evaluated="select count(distinct measure_id) from batch",
    ),
    Rule(
        name="expect_few_without_score",
        columns="reason",
        severity="warning",
        description=(
            "of every measure at most a share of {max_removed_share} of the rows has no score because its "
            "classifier, function or judge failed, or because the text is in another language"
        ),
        remedy=(
            "Read the texts of these rows; declare the languages of the measure, mend its function or its "
            "rubric, or raise analysis.quality.max_removed_share."
        ),
        unexpected="""
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
            where n_failed > {max_removed_share} * n_rows
        """,
        evaluated="select count(distinct measure_id) from batch",
    ),
)
