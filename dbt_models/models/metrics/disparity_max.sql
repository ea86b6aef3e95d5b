-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters).
-- The largest statistic of a group. Source: SAGED 4.2.
{{ disparity_metric('max', 'value_max') }}
