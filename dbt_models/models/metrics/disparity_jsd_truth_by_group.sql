{{ disparity_metric(
    'jsd_truth_by_group', 'jsd_by_group', reasons={'jsd_by_group is null': 'no_truth_counts'}, profiles='int_truth_profiles'
) }}
