-- What did each question come to in every run, and did something else measure it?
select system_id, measure_id, grouping_id, statistic, wave, published_at, verdict, is_headline, metric,
    group_id, value, ci_low, ci_high, is_same_effect, scorer_changed
from v_history
where study_id = 'g20_demo' and slice_id = 'all' and outcome in ('significant', 'equivalent', 'inconclusive')
order by system_id, measure_id, grouping_id, statistic, calibration, parameters, reference_system_id,
    run_position
