{{ disparity_metric(
    'cramers_v',
    'sqrt(phi_squared / (least(n_groups, n_labels) - 1))',
    reasons={'n_labels = 1': 'constant_values'},
    where='not is_pooled',
    profiles='int_label_profiles',
) }}
