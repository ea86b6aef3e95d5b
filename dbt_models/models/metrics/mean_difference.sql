-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, reference) of a
-- continuous measure. Source: inference.md 1 (mean D).
{{ group_difference('mean_difference', kinds=['continuous']) }}
