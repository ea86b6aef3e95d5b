-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id) of a measure with a ground truth.
-- Jensen-Shannon divergence of the categories in all groups from the ground truth's, nats, at most ln 2.
-- Source: FAIR-SEA; metrics.md 4.
{{ disparity_metric(
    'jsd_truth_marginal', 'jsd_marginal', reasons={'jsd_marginal is null': 'no_truth_counts'}, profiles='int_truth_profiles'
) }}
