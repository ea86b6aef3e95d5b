-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id) of a continuous
-- measure, where the study asks for it. Source: metrics.md 2 and 6.3.
{{ statistic_difference('correlation', is_paired=true) }}
