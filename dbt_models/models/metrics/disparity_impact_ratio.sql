-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters) of a
-- rate: a selection rate, or the mean of a binary measure. Smallest over largest rate of a group; NULL where no group
-- has any selection. Source: SAGED 4.2.
{{ disparity_metric(
    'impact_ratio',
    'value_min / value_max',
    reasons={'value_max = 0': 'no_selections'},
    where=is_rate(),
) }}
