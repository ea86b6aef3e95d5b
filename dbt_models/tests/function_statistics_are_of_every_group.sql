-- Inference has computed every statistic that is a function of the study in every group with a value.
with

groups as (
    select * from {{ ref('int_group_statistics') }} where kind in ('continuous', 'binary') and n_responses > 0
),

functions as (
    select * from {{ source('raw', 'statistics') }} where function_path is not null
),

function_statistics as (
    select * from {{ ref('int_function_statistics') }}
)

select groups.*, functions.statistic, functions.parameters
from groups
inner join functions using (study_id)
left join function_statistics using (comparison_position, group_position, statistic, parameters)
where function_statistics.comparison_position is null or (function_statistics.value is null) <> (function_statistics.reason is not null)
