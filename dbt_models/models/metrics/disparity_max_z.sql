-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters).
-- The largest z-score of a group among the groups, divisor n - 1. It cannot exceed cap = (K - 1)/sqrt(K), and of two
-- groups is always that: NULL. Source: SAGED 4.2; metrics.md 2.
{{ disparity_metric(
    'max_z',
    '(value_max - value_mean) / value_sd',
    reasons={'n_groups = 2': 'scale_free', has_one_value(): 'constant_values'},
    parameters=z_cap(),
) }}
