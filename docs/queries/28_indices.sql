-- How unequal are all groups together, and how unequal would chance make them?
select system_id, measure_id, grouping_id, statistic, metric, value, null_q95, ci_low, ci_high, hypothesis_q_value, margin,
    verdict
from disparities
where study_id = 'g20_demo' and grouping_id <> 'negative_control' and calibration = 'raw' and verdict is not null
order by system_id, measure_id, statistic, parameters, metric
