{% set keys = hypothesis_keys() + ['metric', 'group_id', 'category', 'reference'] %}
with

red_flags as (
    select * from {{ ref('int_red_flags') }} where status in ('raised', 'band_only')
),

parts as (
    select * from {{ ref('int_grouping_parts') }}
),

systems as (
    select study_id, system_id from {{ source('raw', 'systems') }} where not is_baseline
),

worst_groups as (
    select * from {{ ref('int_worst_groups') }}
),

numbers as (
    select
        *,
        'raw' as calibration,
        '' as category,
        case when group_id = '' then 'disparities' else 'contrasts' end as evidence_table
    from {{ ref('int_banded_numbers') }}
),

indices as (
    select *, '' as group_id, '' as category, '' as reference, 'disparities' as evidence_table
    from {{ ref('disparities') }}
    where calibration = 'raw' and metric in ('idi', 'fdi')
),

differences as (
    select hypothesis_groups.*, contrast as metric, 'contrasts' as evidence_table
    from {{ ref('int_hypothesis_groups') }} as hypothesis_groups
    inner join systems using (study_id, system_id)
    where value is not null and {{ is_pinned('hypothesis_groups') }}
),

of_bands as (
    select red_flags.flag_id, numbers.*
    from red_flags
    inner join numbers
        using (study_id, slice_id, system_id, measure_id, grouping_id, metric, group_id)
    where red_flags.flag in ('large_effect', 'ground_truth')
),

-- the index itself, and those of its parts
of_amplifications as (
    select red_flags.flag_id, indices.*
    from red_flags
    inner join indices using (study_id, slice_id, system_id, measure_id)
    left join parts
        on red_flags.study_id = parts.study_id
        and red_flags.grouping_id = parts.grouping_id
        and indices.grouping_id = parts.part_id
    where
        red_flags.flag = 'amplification'
        and case
            when indices.grouping_id = red_flags.grouping_id then indices.metric = red_flags.metric
            else indices.metric = 'fdi' and parts.part_id is not null
        end
),

-- of the worst group, or against it
of_directions as (
    select red_flags.flag_id, differences.*
    from red_flags
    inner join worst_groups using (study_id, grouping_id, group_id)
    inner join differences
        on worst_groups.study_id = differences.study_id
        and worst_groups.slice_id = differences.slice_id
        and worst_groups.system_id = differences.system_id
        and worst_groups.grouping_id = differences.grouping_id
        and worst_groups.measure_id = differences.measure_id
        and worst_groups.category = differences.category
    where
        red_flags.flag = 'consistent_direction'
        and worst_groups.group_id in (differences.group_id, differences.reference)
),

of_models as (
    select red_flags.flag_id, differences.*
    from red_flags
    inner join differences using (study_id, slice_id, measure_id, grouping_id, group_id, category, reference)
    where red_flags.flag = 'cross_model' and differences.differs_on_its_own
)
{% for found in ['of_bands', 'of_amplifications', 'of_directions', 'of_models'] %}
{{ 'union all' if not loop.first }}
select
    study_id,
    flag_id,
    evidence_table,
    {{ keys[1:] | join(',\n    ') }}
from {{ found }}
{% endfor %}
