-- In which prompts does a group differ most?
select finding_prompts.group_id, finding_prompts.position, finding_prompts.difference, finding_prompts.replicate,
    prompts.prompt_text
from finding_prompts
inner join prompts using (study_id, prompt_id)
where study_id = 'g20_demo' and calibration = 'raw' and statistic = 'mean' and measure_id = 'sentiment'
order by finding_prompts.group_id, finding_prompts.position
