-- Where every block holds every group, the differences of all groups from the rest, or from all, add up to 0.
select
    differences.comparison_position,
    differences.statistic,
    differences.parameters,
    differences.reference,
    sum(differences.difference) as total
from {{ ref('int_group_differences') }} as differences
inner join {{ ref('int_designs') }} as designs using (comparison_position)
where
    designs.is_balanced
    and designs.n_groups > 1
    and differences.reference in ('rest', 'grand_mean')
    and differences.statistic <> 'precision'
group by
    differences.comparison_position, differences.statistic, differences.parameters, differences.reference
having abs(sum(differences.difference)) > 1e-9 * greatest(sum(abs(differences.difference)), 1)
