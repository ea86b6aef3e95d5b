with

hypotheses as (
    select * from {{ ref('int_hypotheses') }} where is_finding
),

tool_bias as (
    select * from {{ ref('int_tool_bias') }}
),

repeated as (
    select * from {{ ref('int_repeated_hypotheses') }}
),

reasons as (
    select * from {{ ref('reasons') }}
),

measures as (
    select study_id, measure_id, kind, direction from {{ source('raw', 'measures') }}
),

systems as (
    select study_id, system_id, is_baseline from {{ source('raw', 'systems') }}
),

model_groupings as (
    select * from {{ ref('int_model_groupings') }}
),

-- of any metric that heads: what edits that cannot matter lead one to expect is of the range
ranges as (
    select {{ hypothesis_keys() | join(', ') }}, value as group_range
    from {{ ref('disparities') }}
    where metric = 'range'
),

looks as (
    select study_id, look, n_looks from {{ ref('int_looks') }}
)

select
    hypotheses.*,
    coalesce(systems.is_baseline, false) as is_baseline,
    tool_bias.study_id is not null as is_tool_bias,
    repeated.study_id is not null as is_repeated,
    model_groupings.study_id is not null as is_of_models,
    ranges.group_range,
    looks.look,
    looks.n_looks,
    measures.kind,
    measures.direction,
    reasons.meaning,
    reasons.remedy,
    of_controls.meaning as negative_controls_meaning,
    of_controls.remedy as negative_controls_remedy
from hypotheses
inner join measures using (study_id, measure_id)
inner join looks using (study_id)
-- generation 'all' is none of them
left join systems using (study_id, system_id)
left join tool_bias using ({{ hypothesis_keys() | join(', ') }})
left join repeated using ({{ hypothesis_keys() | join(', ') }})
left join model_groupings using (study_id, grouping_id)
left join ranges using ({{ hypothesis_keys() | join(', ') }})
left join reasons on coalesce(hypotheses.inference_reason, hypotheses.metric_reason) = reasons.reason
left join reasons as of_controls on hypotheses.negative_controls_reason = of_controls.reason
