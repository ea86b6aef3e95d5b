-- How much of it is the measuring tool, not the model?
select measure_id, grouping_id, statistic, verdict, headline_metric, headline_value, largest_metric, largest_value,
    q_value, sentence
from findings
where study_id = 'g20_demo' and is_tool_bias
order by finding_rank
