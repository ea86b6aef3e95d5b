{{ disparity_metric(
    'dixon_excess_low',
    dixon_ratio('low') ~ ' - dixon_critical_value',
    reasons=dixon_reasons('low'),
    parameters=dixon_parameters(),
) }}
