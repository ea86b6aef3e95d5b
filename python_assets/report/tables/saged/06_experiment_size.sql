-- How many numbers the experiment gave
-- Source: SAGED 5.1
-- Needs: a study
select 'root questions' as what, count(distinct root_prompt_id) as n from prompts where study_id = $study
union all
select 'questions', count(*) from prompts where study_id = $study
union all
select 'responses', count(*) from responses where study_id = $study
union all
select 'feature measurements', count(value) from measurements where study_id = $study
union all
select 'summary statistics', count(value) from summary_statistics where study_id = $study
union all
select 'disparity metric values', count(value) from disparities where study_id = $study
