with

banded_numbers as (
    select
        *,
        case when metric like 'jsd_truth%' then 'ground_truth' else 'large_effect' end as flag,
        row_number() over (
            partition by study_id, slice_id, system_id, measure_id, grouping_id, metric
            order by round(abs(value), 12) desc nulls last, group_id asc
        ) as place
    from {{ ref('int_banded_numbers') }}
),

bands as (
    select metric, edge_red as threshold from {{ ref('bands') }} where is_reported
),

reasons as (
    select * from {{ ref('reasons') }}
),

studies as (
    select study_id from {{ source('raw', 'studies') }}
),

-- of groups of which none is red, the one that is farthest
of_bands as (
    select *
    from banded_numbers
    inner join bands using (metric)
    where status in ('raised', 'band_only') or place = 1
),

amplifications as (
    select * from {{ ref('int_amplifications') }}
),

directions as (
    select * from {{ ref('int_consistent_directions') }}
),

shared_findings as (
    select * from {{ ref('int_shared_findings') }}
),

found as (
    {{ flag_rows('of_bands',
        ['slice_id', 'system_id', 'measure_id', 'grouping_id', 'metric', 'group_id', 'reference', 'value',
            'threshold', 'null_q95', 'verdict']) }}
    union all
    {{ flag_rows('amplifications',
        ['slice_id', 'system_id', 'measure_id', 'grouping_id', 'metric', 'value', 'null_q95', 'verdict'],
        {'flag': "'amplification'", 'threshold': 'null_q95'}) }}
    union all
    {{ flag_rows('directions',
        ['grouping_id', 'group_id', 'value', 'n_models'],
        {'flag': "'consistent_direction'", 'threshold': '0.75e0'}) }}
    union all
    {{ flag_rows('shared_findings',
        ['slice_id', 'measure_id', 'grouping_id', 'group_id', 'category', 'reference', 'value', 'n_models'],
        {'flag': "'cross_model'", 'threshold': '2e0'}) }}
),

looked_for as (
    select 'large_effect' as flag, 'no_banded_number' as reason
    union all
    select 'ground_truth' as flag, 'no_ground_truth' as reason
    union all
    select 'amplification' as flag, 'no_intersection' as reason
    union all
    select 'consistent_direction' as flag, 'too_few_models' as reason
    union all
    select 'cross_model' as flag, 'too_few_models' as reason
),

without_place as (
    select studies.study_id, looked_for.flag, looked_for.reason
    from studies
    cross join looked_for
    left join found on studies.study_id = found.study_id and looked_for.flag = found.flag
    where found.flag is null
),

flags as (
    select * from found
    union all
    {{ flag_rows('without_place', [], {'status': "'not_evaluated'"}) }}
)

select
    flags.*,
    {{ flag_id() }} as flag_id,
    reasons.meaning,
    reasons.remedy
from flags
left join reasons on flags.reason = reasons.reason
