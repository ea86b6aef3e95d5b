{{ disparity_metric(
    'four_fifths',
    'cast(cast(value_min < (0.8e0 - 1e-12) * value_max as integer) as double)',
    reasons={'value_max = 0': 'no_selections'},
    where=is_rate(),
) }}
