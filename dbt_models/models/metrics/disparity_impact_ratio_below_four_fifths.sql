{{ disparity_metric(
    'impact_ratio_below_four_fifths',
    'cast(null as double)',
    reasons={'value_max = 0': 'no_selections', 'true': 'from_inference'},
    where=is_rate(),
) }}
