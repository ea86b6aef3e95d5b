-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters).
-- The mean of the statistic over groups, each group counting once. Source: SAGED 4.2; metrics.md 2.
{{ disparity_metric('mean', 'value_mean') }}
