-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id) of a categorical measure.
-- The largest total variation of a group from all responses, 0 to 1. Source: FAIR-SEA; metrics.md 4.
{{ disparity_metric('fdi_max', 'distance_max', profiles='int_label_profiles') }}
