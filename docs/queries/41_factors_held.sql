-- Which factors are held the same when groups are compared, and which cannot be?
select slice_id, grouping_id, factor, is_stratum, left_out_because
from blocking_factors
where study_id = 'g20_demo'
order by slice_id, grouping_id, factor
