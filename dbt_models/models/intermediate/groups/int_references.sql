with

slice_groups as (
    select study_id, slice_id, grouping_id, group_id, group_position
    from {{ ref('int_prompt_groups') }}
    group by study_id, slice_id, grouping_id, group_id, group_position
),

grouping_references as (
    select * from {{ source('raw', 'grouping_references') }}
)

select
    slice_groups.study_id,
    slice_groups.slice_id,
    slice_groups.grouping_id,
    slice_groups.group_id,
    slice_groups.group_position,
    case
        when grouping_references.reference in ('rest', 'grand_mean') then grouping_references.reference
        else coalesce(others.group_id, grouping_references.reference_group)
    end as reference,
    grouping_references.reference in ('level', 'all_pairs') as is_pair,
    others.group_position as other_position
from slice_groups
inner join grouping_references
    on slice_groups.study_id = grouping_references.study_id
    and slice_groups.grouping_id = grouping_references.grouping_id
left join slice_groups as others
    on slice_groups.study_id = others.study_id
    and slice_groups.slice_id = others.slice_id
    and slice_groups.grouping_id = others.grouping_id
    and (
        (grouping_references.reference = 'level' and others.group_id = grouping_references.reference_group)
        or (grouping_references.reference = 'all_pairs' and others.group_id <> slice_groups.group_id)
    )
where
    grouping_references.reference in ('rest', 'grand_mean')
    or (grouping_references.reference = 'level' and slice_groups.group_id <> grouping_references.reference_group)
    or (grouping_references.reference = 'all_pairs' and others.group_id is not null)
