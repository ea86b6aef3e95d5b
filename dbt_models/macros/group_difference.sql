{# One contrast that is a difference of cells (int_group_differences), and the same of responses
   (int_response_differences): the columns that all contrasts share.
   statistic: mean, or one whose difference has rows only where the study asks for it; of several selection rates the
   first in the order of parameters. #}
{% macro group_difference(contrast, kinds, statistic='mean') -%}
with

group_statistics as (
    select * from {{ ref('int_group_statistics') }} where kind in ('{{ kinds | join("', '") }}')
),

group_references as (
    select * from {{ ref('int_references') }}
),

differences as (
    select * from {{ ref('int_group_differences') }} where statistic = '{{ statistic }}'
),

response_differences as (
    select * from {{ ref('int_response_differences') }} where statistic = '{{ statistic }}'
),

{{ requested_parameters(contrast, statistic) }},

counts as (
    select
        group_statistics.*,
        requested.parameters,
        differences.comparison_position is not null as has_cells,
        count(differences.comparison_position) over (partition by group_statistics.comparison_position) as n_groups
    from group_statistics
    inner join requested using (study_id)
    left join differences
        on group_statistics.comparison_position = differences.comparison_position
        and group_statistics.group_position = differences.group_position
        and requested.parameters = differences.parameters
        and differences.reference = 'rest'
),

reasoned as (
    select
        counts.*,
        group_references.reference,
        differences.difference,
        response_differences.own_mean - response_differences.other_mean as response_difference,
        coalesce(differences.n_root_prompts_compared, 0) as n_root_prompts_compared,
        case
            when counts.n_responses = 0 then 'no_values'
            when not counts.has_cells and counts.calibration = 'calibrated' then 'already_calibrated'
            when not counts.has_cells then 'no_baseline'
            when group_references.is_pair and not coalesce(others.has_cells, false) then 'no_reference'
            when counts.n_groups = 1 then 'no_complement'
            when differences.difference is null then 'no_block'
        end as reason
    from counts
    inner join group_references using (study_id, slice_id, grouping_id, group_position)
    left join counts as others
        on counts.comparison_position = others.comparison_position
        and group_references.other_position = others.group_position
    left join differences
        on counts.comparison_position = differences.comparison_position
        and counts.group_position = differences.group_position
        and counts.parameters = differences.parameters
        and group_references.reference = differences.reference
    left join response_differences
        on counts.comparison_position = response_differences.comparison_position
        and counts.group_position = response_differences.group_position
        and counts.parameters = response_differences.parameters
        and group_references.reference = response_differences.reference
)

select
    study_id,
    slice_id,
    system_id,
    measure_id,
    calibration,
    grouping_id,
    case when category = '' then '{{ statistic }}' else 'share' end as statistic,
    parameters,
    group_id,
    '{{ contrast }}' as contrast,
    category,
    reference,
    case when reason is null then difference end as value,
    response_difference as value_responses,
    n_responses,
    n_root_prompts_compared as n_root_prompts,
    reason
from reasoned
{%- endmacro %}
