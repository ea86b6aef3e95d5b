-- Whether one role is played harder than another, and for whom
-- Source: SAGED 5.2
-- Needs: a grouping of a factor of prompts with system_prompt, and analysis: association_tests
select measure_id as measure, slice_id as slice, grouping_id as grouping, system_id as system, term,
    statistic_value as "F", df1, df2, effect_size as eta_squared, effect_size_corrected as omega_squared,
    null_q95 as noise_floor, p_value as p_by_responses, p_value_permutation as p, reason, inference_reason
from association_tests
where study_id = $study and test = 'anova_multiway' and list_contains(string_split(grouping_id, ' x '), 'system_prompt')
order by all
