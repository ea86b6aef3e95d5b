-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id) of a categorical measure, for
-- the grouping that joins all factors, two or more: fdi of the full intersection.
-- Source: FAIR-SEA; metrics.md 4.
{{ disparity_metric('idi', 'distance_mean', where='has_every_factor', profiles='int_label_profiles') }}
