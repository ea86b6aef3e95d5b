-- Repetition consistency: how alike the answers to one prompt are
-- Source: FAIR-SEA, Robustness Checks
-- Needs: several responses to a prompt
select slice_id as prompt_category, measure_id as outcome, system_id as model, statistic, value, n_prompts,
    n_prompts_alike, n_responses, reason
from repetition_consistency
where study_id = $study
order by prompt_category, outcome, model, statistic
