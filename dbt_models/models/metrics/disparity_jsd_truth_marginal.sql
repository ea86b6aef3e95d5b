{{ disparity_metric(
    'jsd_truth_marginal', 'jsd_marginal', reasons={'jsd_marginal is null': 'no_truth_counts'}, profiles='int_truth_profiles'
) }}
