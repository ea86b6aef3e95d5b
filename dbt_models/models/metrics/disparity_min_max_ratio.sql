-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters).
-- Smallest over largest statistic of a group; NULL where it says nothing: signs differ, or the largest is 0.
-- Source: SAGED 4.2.
{{ disparity_metric(
    'min_max_ratio',
    'value_min / value_max',
    reasons={'value_max = 0': 'maximum_is_zero', 'value_min < 0 and value_max > 0': 'mixed_signs'},
) }}
