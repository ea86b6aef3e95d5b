-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters).
-- Dixon's Q of the highest group: how far it lies from the others, 0 to 1. 3 to 30 groups.
-- Source: SAGED 4.2 and C.5; Rorabacher 1991.
{{ disparity_metric(
    'dixon_high',
    dixon_ratio('high'),
    reasons=dixon_reasons('high'),
    parameters=dixon_parameters(),
) }}
