{{ disparity_metric(
    'dixon_low',
    dixon_ratio('low'),
    reasons=dixon_reasons('low'),
    parameters=dixon_parameters(),
) }}
