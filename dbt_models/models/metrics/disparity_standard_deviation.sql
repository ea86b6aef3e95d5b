-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, statistic, parameters).
-- Standard deviation of the statistic over groups, divisor n - 1. Source: SAGED 4.2.
{{ disparity_metric('standard_deviation', 'value_sd') }}
