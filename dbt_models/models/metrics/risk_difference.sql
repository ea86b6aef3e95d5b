-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, category) of a binary
-- measure, or of one label of a categorical one. Source: inference.md 1 (mean D of rates).
{{ group_difference('risk_difference', kinds=['binary', 'categorical']) }}
