-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id) of a categorical
-- measure: total variation between the labels of the group and those of all groups, 0 to 1, responses counting alike.
-- Source: FAIR-SEA; metrics.md 4.
{{ label_distance('fdi_group', 'distance') }}
