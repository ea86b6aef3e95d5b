{{ disparity_metric(
    'max_z',
    '(value_max - value_mean) / value_sd',
    reasons={'n_groups = 2': 'scale_free', has_one_value(): 'constant_values'},
    parameters=z_cap(),
) }}
