-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id) of a measure with a ground truth.
-- Jensen-Shannon divergence of the categories in a group from the ground truth's, nats, at most ln 2: the mean over
-- groups. Source: FAIR-SEA, step 4; metrics.md 4.
{{ disparity_metric(
    'jsd_truth_by_group', 'jsd_by_group', reasons={'jsd_by_group is null': 'no_truth_counts'}, profiles='int_truth_profiles'
) }}
