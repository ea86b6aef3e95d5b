-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters) of a
-- rate: the probability that the impact ratio is under 0.8, which inference fills in (disparities).
-- Source: SAGED 4.2; metrics.md 2.
{{ disparity_metric(
    'impact_ratio_below_four_fifths',
    'cast(null as double)',
    reasons={'value_max = 0': 'no_selections', 'true': 'from_inference'},
    where=is_rate(),
) }}
