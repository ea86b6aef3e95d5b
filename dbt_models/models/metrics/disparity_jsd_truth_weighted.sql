{{ disparity_metric(
    'jsd_truth_weighted', 'jsd_weighted', reasons={'jsd_weighted is null': 'not_in_truth'}, profiles='int_truth_profiles'
) }}
