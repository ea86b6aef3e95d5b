-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters).
-- The largest distance of a group from the mean of the groups, in standard deviations with divisor n - 1.
-- It cannot exceed cap = (K - 1)/sqrt(K), and of two groups is always that: NULL. Source: metrics.md 2.
{{ disparity_metric(
    'max_abs_z',
    'greatest(value_max - value_mean, value_mean - value_min) / value_sd',
    reasons={'n_groups = 2': 'scale_free', has_one_value(): 'constant_values'},
    parameters=z_cap(),
) }}
