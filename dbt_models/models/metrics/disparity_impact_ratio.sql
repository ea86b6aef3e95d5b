{{ disparity_metric(
    'impact_ratio',
    'value_min / value_max',
    reasons={'value_max = 0': 'no_selections'},
    where=is_rate(),
) }}
