{{ disparity_metric(
    'jsd_truth_unweighted', 'jsd_unweighted', reasons={'jsd_unweighted is null': 'not_in_truth'}, profiles='int_truth_profiles'
) }}
