-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id) of a categorical measure.
-- Jensen-Shannon divergence of all groups from one another, with equal weights, nats: 0 to ln K. The margin of FAIR-SEA
-- is of jsd, which is about a fourth of it. Source: Lin 1991, generalised divergence; metrics.md 4.
{{ disparity_metric('jsd_between_groups', 'jsd_between_groups', profiles='int_label_profiles') }}
