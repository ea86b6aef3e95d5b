{{ disparity_metric(
    'min_max_ratio',
    'case when value_max > 0 then greatest(value_min, 0) else value_min end / value_max',
    reasons={
        'abs(value_max) <= 1e-12 * abs(value_min)': 'maximum_is_zero',
        'value_min < -1e-12 * value_max and value_max > 0': 'mixed_signs',
    },
) }}
