-- t tests with Cohen's d, and analyses of variance with eta squared
-- Source: FAIR-SEA, Continuous Outcomes 2 and 3
-- Needs: analysis: association_tests, and a measure on a scale
select tests.slice_id as prompt_category, tests.measure_id as outcome, tests.category as label,
    tests.grouping_id as attribute, tests.system_id as model, tests.test, tests.term, tests.statistic_value,
    tests.df1, tests.df2, tests.p_value as p_document, tests.p_value_permutation as p_within_prompts,
    tests.effect_size_name, tests.effect_size, tests.effect_size_corrected, tests.null_q95 as noise_floor,
    tests.n_responses, findings.p_value as p, findings.q_value as q, findings.verdict, tests.method, tests.reason,
    tests.inference_reason
from association_tests as tests
left join findings
    on tests.study_id = findings.study_id and tests.slice_id = findings.slice_id
    and tests.system_id = findings.system_id and tests.measure_id = findings.measure_id
    and tests.grouping_id = findings.grouping_id and findings.calibration = 'raw'
    and findings.statistic in ('mean', 'share') and findings.parameters = ''
    and (tests.term = '' or tests.term = tests.grouping_id)
where tests.study_id = $study and tests.test in ('t_pooled', 't_welch', 'anova', 'anova_multiway')
order by prompt_category, outcome, label, attribute, model, test, term
