-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, reference) of a
-- continuous measure, where the study asks for it. Source: metrics.md 6.3 (mean D of selection rates).
{{ group_difference('selection_rate_difference', kinds=['continuous'], statistic='selection_rate') }}
