{{ disparity_metric(
    'max_abs_z',
    'greatest(value_max - value_mean, value_mean - value_min) / value_sd',
    reasons={'n_groups = 2': 'scale_free', has_one_value(): 'constant_values'},
    parameters=z_cap(),
) }}
