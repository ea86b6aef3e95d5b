-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, reference) of a
-- binary measure.
-- Source: multi-factor document, section 3.3, equation 3; natural log. NULL where a rate is 0 or 1: no odds.
{{ log_disparity_contrast('log_disparity', add=0) }}
