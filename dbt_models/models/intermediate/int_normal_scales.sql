-- One row per (study_id, slice_id, outcome_position, normalise_over): the mean and the standard deviation that values
-- of an outcome are normalised by before a statistic is taken, where a study asks for it: of all rows of the slice and
-- of the generation, or of all generations but the baseline. spread is NULL where all rows are equal.
with

{{ normal_scales() }}

select study_id, slice_id, outcome_position, normalise_over, centre, spread
from scales
