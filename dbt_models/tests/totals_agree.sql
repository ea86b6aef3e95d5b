-- What must add up: groups to the responses of their cells, straight and by the other road; the shares of all labels of a
-- group to 1; and, where every block holds every group, the differences of all groups from the rest, or from all, to 0.
with

by_group as (
    select comparison_position, sum(n_responses) as n_responses, sum(total) as total, sum(abs(total)) as size
    from {{ ref('int_group_statistics') }}
    group by comparison_position
),

by_cell as (
    select comparison_position, sum(n_responses) as n_responses, sum(total) as total
    from {{ ref('int_cell_sums') }}
    where selection_position = 0
    group by comparison_position
),

differences as (
    select *
    from {{ ref('int_group_differences') }}
    where reference in ('rest', 'grand_mean') and statistic <> 'precision'
),

designs as (
    select * from {{ ref('int_designs') }} where is_balanced and n_groups > 1
)

select 'groups' as what, cast(comparison_position as string) as of_what, by_group.total - by_cell.total as error
from by_group
left join by_cell using (comparison_position)
where
    by_group.n_responses <> coalesce(by_cell.n_responses, 0)
    or abs(by_group.total - by_cell.total) > 1e-9 * greatest(by_group.size, 1)
union all
select
    'labels' as what,
    concat_ws(' | ', slice_id, generation_id, measure_id, grouping_id, group_id) as of_what,
    sum(share) - 1 as error
from {{ ref('outcome_distributions') }}
where n_group > 0
group by study_id, slice_id, generation_id, measure_id, grouping_id, group_id
having abs(sum(share) - 1) > 1e-9
union all
select
    'differences' as what,
    concat_ws(' | ', comparison_position, statistic, parameters, reference) as of_what,
    sum(difference) as error
from differences
inner join designs using (comparison_position)
group by comparison_position, statistic, parameters, reference
having abs(sum(difference)) > 1e-9 * greatest(sum(abs(difference)), 1)
