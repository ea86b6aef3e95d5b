-- How many numbers the experiment gave
-- Source: SAGED 5.1
-- Needs: a study
with controls as (
    select prompt_id from prompt_factors where study_id = $study and factor = 'negative_control'
)

select 'root questions' as what, count(distinct root_prompt_id) as n
from prompts
where study_id = $study and prompt_id not in (from controls)
union all
select 'questions', count(*) from prompts where study_id = $study and prompt_id not in (from controls)
union all
select 'responses', count(*) from responses where study_id = $study and prompt_id not in (from controls)
union all
select 'feature measurements', count(value)
from measurements
where study_id = $study and prompt_id not in (from controls)
union all
select 'summary statistics', count(value)
from summary_statistics
where study_id = $study and grouping_id <> 'negative_control'
union all
select 'disparity metric values', count(value)
from disparities
where study_id = $study and grouping_id <> 'negative_control'
