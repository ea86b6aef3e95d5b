with

{{ normal_scales() }}

select study_id, slice_id, outcome_position, normalise_over, centre, spread
from scales
