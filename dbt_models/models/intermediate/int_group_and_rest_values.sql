-- One row per (comparison_position, is_paired, group_position, side, prompt_position, replicate): the responses that
-- the difference of a statistic between a group (side own) and the others (rest) compares, where a study asks for one:
-- those of the blocks, in nested groupings of the strata, in which the group meets another. is_paired: of pairs with a
-- baseline alone.
{{ config(materialized='view') }}
with

{{ grouped_values() }},

statistics as (
    select * from {{ source('raw', 'statistics') }} where statistic not in ('mean', 'selection_rate', 'precision')
),

contrasts as (
    select * from {{ source('raw', 'contrasts') }}
),

differing as (
    select comparisons.comparison_position, statistics.is_paired
    from comparisons
    inner join statistics using (study_id)
    inner join contrasts
        on statistics.study_id = contrasts.study_id
        and statistics.statistic || '_difference' = contrasts.contrast
    where comparisons.kind in ('continuous', 'binary')
    group by comparisons.comparison_position, statistics.is_paired
),

compared as (
    select
        comparison_position,
        differing.is_paired,
        coalesce(grouped_values.stratum_position, grouped_values.block_position) as compared_position,
        grouped_values.group_position as own_position,
        grouped_values.prompt_position,
        grouped_values.replicate,
        grouped_values.x,
        grouped_values.baseline
    from grouped_values
    inner join differing using (comparison_position)
    where grouped_values.x is not null and (grouped_values.baseline is not null or not differing.is_paired)
),

members as (
    select
        comparison_position,
        is_paired,
        compared_position,
        own_position as group_position,
        count(*) over (partition by comparison_position, is_paired, compared_position) as n_groups
    from compared
    group by comparison_position, is_paired, compared_position, own_position
)

select
    comparison_position,
    is_paired,
    members.group_position,
    case when compared.own_position = members.group_position then 'own' else 'rest' end as side,
    compared.prompt_position,
    compared.replicate,
    compared.x,
    compared.baseline
from compared
inner join members using (comparison_position, is_paired, compared_position)
where members.n_groups > 1
