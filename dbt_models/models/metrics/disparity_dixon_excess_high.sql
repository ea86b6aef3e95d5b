{{ disparity_metric(
    'dixon_excess_high',
    dixon_ratio('high') ~ ' - dixon_critical_value',
    reasons=dixon_reasons('high'),
    parameters=dixon_parameters(),
) }}
