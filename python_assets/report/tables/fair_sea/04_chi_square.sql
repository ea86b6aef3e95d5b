-- Chi-square test of independence and Cramer's V
-- Source: FAIR-SEA, Categorical Outcomes 1
-- Needs: analysis: association_tests, and a measure with labels
select tests.slice_id as prompt_category, tests.measure_id as outcome, tests.grouping_id as attribute,
    tests.system_id as model, tests.test, tests.statistic_value as chi_square, tests.df1 as df,
    tests.p_value as p_document, tests.p_value_permutation as p_within_prompts, tests.effect_size as cramers_v,
    tests.null_q95 as noise_floor, tests.share_expected_ge5, tests.n_responses, findings.p_value as p,
    findings.q_value as q, findings.verdict, tests.method, tests.reason, tests.inference_reason
from association_tests as tests
left join findings
    on tests.study_id = findings.study_id and tests.slice_id = findings.slice_id
    and tests.system_id = findings.system_id and tests.measure_id = findings.measure_id
    and tests.grouping_id = findings.grouping_id and findings.calibration = 'raw'
    and findings.statistic in ('mean', 'share') and findings.parameters = ''
where tests.study_id = $study and tests.test in ('chi_square', 'chi_square_yates')
order by prompt_category, outcome, attribute, model, test
