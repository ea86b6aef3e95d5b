-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters) of a
-- rate: 1 where the impact ratio is under 0.8, 0 elsewhere; 4 of 6 over 5 of 6 is 0.8, whatever rounding makes of it.
-- Source: SAGED 4.2, four-fifths rule.
{{ disparity_metric(
    'four_fifths',
    'cast(cast(value_min < (0.8e0 - 1e-12) * value_max as integer) as double)',
    reasons={'value_max = 0': 'no_selections'},
    where=is_rate(),
) }}
