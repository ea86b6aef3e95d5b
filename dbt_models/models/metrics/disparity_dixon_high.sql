{{ disparity_metric(
    'dixon_high',
    dixon_ratio('high'),
    reasons=dixon_reasons('high'),
    parameters=dixon_parameters(),
) }}
