-- A blocking factor is held, or there is a reason why it is not.
select study_id, slice_id, grouping_id, factor
from {{ ref('blocking_factors') }}
where is_stratum = (left_out_because is not null)
