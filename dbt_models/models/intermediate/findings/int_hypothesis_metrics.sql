{% set keys = hypothesis_keys() | join(', ') %}
{% set columns = ['contrast', 'group_id', 'category', 'reference', 'value', 'null_q95', 'ci_low', 'ci_high', 'margin', 'margin_origin', 'verdict'] %}
with

hypotheses as (
    select * from {{ source('inference', 'hypotheses') }} where is_observed and reference_system_id = ''
),

measures as (
    select study_id, measure_id, kind from {{ source('raw', 'measures') }}
),

disparities as (
    select * from {{ ref('disparities') }}
    where metric in ('range', 'impact_ratio', 'cramers_v', 'jsd_truth_weighted', 'fdi')
),

-- an index of all cells is no answer to what they add to their parts
crossed as (
    select {{ keys }} from {{ source('inference', 'contrasts') }} where contrast = 'interaction' group by {{ keys }}
),

named as (
    select
        hypotheses.*,
        case
            when is_pooled then case when statistic = 'share' then 'fdi' else 'dbi' end
            when crossed.study_id is not null then 'interaction'
            when statistic = 'share' then 'cramers_v'
            when statistic = 'ground_truth' then 'jsd_truth_weighted'
            when statistic = 'selection_rate' then 'impact_ratio'
            when {{ is_of_labels('hypotheses.calibration') }} then 'range'
            when statistic = 'mean' and parameters = '' and measures.kind = 'binary' then 'impact_ratio'
            when n_groups = 2 then statistic || '_difference'
            else 'range'
        end as metric
    from hypotheses
    inner join measures using (study_id, measure_id)
    left join crossed using ({{ keys }})
),

hypothesis_groups as (
    select
        {{ keys }},
        {{ columns | join(', ') }},
        group_position,
        differs_on_its_own,
        n_groups,
        is_mirror,
        case when differs_on_its_own then 0 else 1 end as standing_position
    from {{ ref('int_hypothesis_groups') }}
    union all
    -- all models together have no other row of a group
    select
        {{ keys }},
        {% for column in columns %}
        contrasts.{{ 'value_cells as value' if column == 'value' else column }},
        {% endfor %}
        0 as group_position,
        false as differs_on_its_own,
        hypotheses.n_groups,
        false as is_mirror,
        1 as standing_position
    from {{ source('inference', 'contrasts') }} as contrasts
    inner join hypotheses using ({{ keys }})
    where hypotheses.is_pooled and contrasts.contrast = 'dbi'
),

placed as (
    select
        *,
        row_number() over (
            partition by {{ keys }}
            order by
                standing_position asc,
                round(abs(value), 12) desc nulls last,
                group_position asc,
                category asc,
                reference asc
        ) as place
    from hypothesis_groups
    where value is not null and not is_mirror and (differs_on_its_own or n_groups = 2 or contrast in ('interaction', 'dbi'))
),

differences as (
    select * from placed where place = 1
),

chosen as (
    select
        named.*,
        differences.value is not null and (
            disparities.study_id is null
            or (differences.differs_on_its_own and not coalesce({{ is_shown('disparities.verdict') }}, false))
        ) as is_difference
    from named
    left join disparities using ({{ keys }}, metric)
    left join differences using ({{ keys }})
)

select
    {% for key in hypothesis_keys() %}
    chosen.{{ key }},
    {% endfor %}
    case when chosen.is_difference then differences.contrast else chosen.metric end as metric,
    {% for column in columns[4:] %}
    case when chosen.is_difference then differences.{{ column }} else disparities.{{ column }} end as metric_{{ column }},
    {% endfor %}
    disparities.group_low,
    disparities.group_high,
    disparities.n_low,
    disparities.n_high,
    case
        when chosen.is_difference or disparities.value is not null then null
        else coalesce(disparities.reason, chosen.inference_reason, 'no_values')
    end as metric_reason
from chosen
left join disparities using ({{ keys }}, metric)
left join differences using ({{ keys }})
