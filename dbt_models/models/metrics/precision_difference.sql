-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, reference) of a
-- continuous measure, where the study asks for it. Source: metrics.md 6.3 (mean D of precisions).
{{ group_difference('precision_difference', kinds=['continuous'], statistic='precision') }}
