-- One row per (study_id, finding_rank): the rows of contrasts and disparities that have a verdict, worst first; those
-- about the baseline, which show the bias of the measuring tool, after all others.
with

sentences as (
    select * from {{ ref('int_contrast_sentences') }}
    union all
    select * from {{ ref('int_disparity_sentences') }}
),

studies as (
    select * from {{ source('raw', 'studies') }}
),

generations as (
    select * from {{ source('raw', 'generations') }}
),

responses as (
    select * from {{ source('raw', 'responses') }}
),

-- NULL where some response carries no time of a request, as replayed ones do: it may be older than any freeze
first_requests as (
    select study_id, generation_id, case when count(*) = count(requested_at) then min(requested_at) end as requested_at
    from responses
    group by study_id, generation_id
),

-- the baseline never was asked: what is said about it is as old as the oldest answer, NULL likewise
first_requests_of_all as (
    select
        first_requests.study_id,
        case when count(*) = count(first_requests.requested_at) then min(first_requests.requested_at) end as requested_at
    from first_requests
    inner join generations using (study_id, generation_id)
    where not generations.is_baseline
    group by first_requests.study_id
),

placed as (
    select
        *,
        case verdict
            when 'bias_shown' then 1
            when 'difference_shown' then 2
            when 'equivalence_shown' then 3
            when 'inconclusive' then 4
            else 5
        end as verdict_position
    from sentences
),

ranked as (
    select
        *,
        row_number() over (
            partition by study_id
            order by
                is_tool_bias asc,
                verdict_position asc,
                round(p_value, 15) asc nulls last,
                round(effect_in_std_errors, 9) desc nulls last,
                generation_id asc,
                slice_id asc,
                measure_id asc,
                calibration asc,
                grouping_id asc,
                source_mart asc,
                name asc,
                group_id asc,
                category asc,
                reference asc,
                statistic asc,
                parameters asc
        ) as finding_rank
    from placed
)

select
    ranked.study_id,
    ranked.finding_rank,
    ranked.source_mart,
    ranked.name,
    ranked.slice_id,
    ranked.generation_id,
    ranked.measure_id,
    ranked.calibration,
    ranked.grouping_id,
    ranked.group_id,
    ranked.category,
    ranked.reference,
    ranked.statistic,
    ranked.parameters,
    ranked.is_tool_bias,
    ranked.value,
    ranked.ci_low,
    ranked.ci_high,
    ranked.p_value,
    ranked.q_value,
    ranked.margin,
    ranked.verdict,
    ranked.scope,
    ranked.n_needed,
    case
        when studies.analysis_frozen_at < case
            when generations.is_baseline then first_requests_of_all.requested_at
            else first_requests.requested_at
        end then 'before'
        else 'after'
    end as declared,
    ranked.sentence
from ranked
inner join studies using (study_id)
inner join generations using (study_id, generation_id)
left join first_requests using (study_id, generation_id)
left join first_requests_of_all using (study_id)
