-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters).
-- Smallest over largest statistic of a group; NULL where it says nothing: signs differ, or the largest is 0. An end
-- within a relative 1e-12 of the other is 0: rounding can take it to either side.
-- Source: SAGED 4.2.
{{ disparity_metric(
    'min_max_ratio',
    'case when value_max > 0 then greatest(value_min, 0) else value_min end / value_max',
    reasons={
        'abs(value_max) <= 1e-12 * abs(value_min)': 'maximum_is_zero',
        'value_min < -1e-12 * value_max and value_max > 0': 'mixed_signs',
    },
) }}
