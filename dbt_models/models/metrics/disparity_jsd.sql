-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id) of a categorical measure.
-- Jensen-Shannon divergence of the groups with equal weights, nats: 0 to ln K. Source: metrics.md 4.
{{ disparity_metric('jsd', 'divergence_mean', profiles='int_label_profiles') }}
