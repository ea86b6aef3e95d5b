-- How do models or roles differ in what they say of a group?
select summary_statistics.group_id, systems.system_id, systems.system_prompt_name, summary_statistics.value,
    summary_statistics.ci_low, summary_statistics.ci_high, summary_statistics.scope, summary_statistics.n_responses
from summary_statistics
inner join systems using (study_id, system_id)
where study_id = 'g20_demo' and measure_id = 'sentiment' and statistic = 'mean' and parameters = ''
    and calibration = 'raw' and slice_id = 'all' and grouping_id = 'concept'
order by summary_statistics.group_id, systems.system_id
