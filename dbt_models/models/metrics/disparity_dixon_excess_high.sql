-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters).
-- Dixon's Q of the highest group less its two-sided 5 % critical value: above 0 where the group is an outlier.
-- Source: SAGED 4.2 (signed Q); metrics.md 2.
{{ disparity_metric(
    'dixon_excess_high',
    dixon_ratio('high') ~ ' - dixon_critical_value',
    reasons=dixon_reasons('high'),
    parameters=dixon_parameters(),
) }}
