-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id) of a categorical measure.
-- The largest Jensen-Shannon divergence of the labels of a group from those of all responses, nats, at most ln 2.
-- Source: FAIR-SEA; metrics.md 4.
{{ disparity_metric('jsd_max', 'jsd_max', profiles='int_label_profiles') }}
