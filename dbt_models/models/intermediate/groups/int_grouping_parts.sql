with

factors as (
    select study_id, grouping_id, factor, count(*) over (partition by study_id, grouping_id) as n_factors
    from {{ source('raw', 'groupings') }}
)

select
    whole.study_id,
    whole.grouping_id,
    part.grouping_id as part_id,
    max(whole.n_factors) as n_factors,
    max(part.n_factors) as n_factors_of_part
from factors as whole
inner join factors as part on whole.study_id = part.study_id and whole.factor = part.factor
where whole.n_factors > part.n_factors
group by whole.study_id, whole.grouping_id, part.grouping_id
having count(*) = max(part.n_factors)
