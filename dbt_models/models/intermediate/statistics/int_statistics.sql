with

group_statistics as (
    select *, min(comparison_position) over outcome_of_systems as first_comparison
    from {{ ref('int_group_statistics') }}
    window outcome_of_systems as (partition by study_id, slice_id, measure_id, calibration, grouping_id, category)
),

statistic_values as (
    select * from {{ ref('int_statistic_values') }}
),

custom_statistics as (
    select * from {{ ref('int_custom_statistics') }}
),

function_statistics as (
    select * from {{ ref('int_function_statistics') }}
),

cells as (
    select * from {{ ref('int_cell_sums') }} where n_selectable > 0
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

standards as (
    select * from {{ ref('int_selection_standards') }}
),

systems as (
    select * from {{ source('raw', 'systems') }}
),

requested as (
    select
        *,
        cast(row_number() over (order by study_id asc, statistic asc, parameters asc) - 1 as integer)
            as statistic_position
    from {{ source('raw', 'statistics') }}
),

selected as (
    select
        comparison_position,
        selection_position,
        group_position,
        cast(sum(n_selected) as double) / sum(n_selectable) as share
    from cells
    group by comparison_position, selection_position, group_position
),

every_value as (
    select comparison_position, group_position, statistic, parameters, value, cast(null as varchar) as why_none
    from statistic_values
    union all
    select comparison_position, group_position, statistic, parameters, value, 'custom_undefined' as why_none
    from custom_statistics
    union all
    select comparison_position, group_position, statistic, parameters, value, reason as why_none
    from function_statistics
    union all
    select comparison_position, group_position, statistic, parameters, share as value, cast(null as varchar) as why_none
    from selected
    inner join comparisons using (comparison_position)
    inner join standards using (study_id, slice_id, outcome_position, selection_position)
),

long_statistics as (
    select
        comparison_position,
        group_position,
        requested.statistic_position,
        statistic,
        parameters,
        requested.is_paired,
        requested.is_paired and group_statistics.calibration = 'raw' as is_of_pairs,
        requested.normalise,
        requested.normalise_over = 'system' or not coalesce(systems.is_baseline, false) as is_in_pool,
        case requested.normalise_over when 'system' then comparison_position else first_comparison end as pool_position,
        group_statistics.n_responses,
        group_statistics.n_pairs,
        group_statistics.n_missing,
        group_statistics.n_root_prompts,
        group_statistics.n_root_prompts_paired,
        every_value.value as value_as_it_is,
        every_value.why_none
    from group_statistics
    inner join requested using (study_id)
    -- generation 'all', which is none of them, is a pool of its own
    left join systems using (study_id, system_id)
    left join every_value using (comparison_position, group_position, statistic, parameters)
    where
        group_statistics.kind = 'continuous'
        or (group_statistics.kind = 'binary' and requested.statistic <> 'selection_rate' and not requested.is_paired)
),

{{ normalised_statistics() }}

select
    comparison_position, group_position, statistic_position, statistic, parameters, normalise,
    value,
    n_responses - n_unpaired as n_responses,
    n_missing + n_unpaired as n_missing,
    n_unpaired,
    case when is_of_pairs then n_root_prompts_paired else n_root_prompts end as n_root_prompts,
    case
        when value is not null then null
        when is_paired and not is_of_pairs then 'already_calibrated'
        when n_responses = 0 then 'no_values'
        when is_paired and n_pairs = 0 then 'no_baseline'
        when why_none is not null then why_none
        when {{ has_too_few_values('statistic', 'n_responses - n_unpaired') }} then 'too_few_values'
        else 'constant_values'
    end as reason
from normalised_statistics
