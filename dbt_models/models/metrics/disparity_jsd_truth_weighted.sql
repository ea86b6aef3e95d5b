-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id) of a measure with a ground truth.
-- Jensen-Shannon divergence of the groups in a category from the ground truth's, nats, at most ln 2: the mean over
-- categories, weighted by the answers of the generation. Source: FAIR-SEA; metrics.md 4.
{{ disparity_metric(
    'jsd_truth_weighted', 'jsd_weighted', reasons={'jsd_weighted is null': 'not_in_truth'}, profiles='int_truth_profiles'
) }}
