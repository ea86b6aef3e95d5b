-- How small a difference could the design have shown, and how many prompts would it take?
select grouping_id, measure_id, contrast, source, n_root_prompts, minimum_detectable_effect, effect, n_needed, reason
from design_power
where study_id = 'g20_demo'
order by grouping_id, measure_id, contrast, source
