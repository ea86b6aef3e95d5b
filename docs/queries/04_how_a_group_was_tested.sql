-- How was a difference tested, and what would it be by chance?
select contrasts.group_id, contrasts.reference, contrasts.value, contrasts.null_q95, contrasts.p_value,
    contrasts.q_value, contrasts.n_units, contrasts.method, contrasts.scope
from contrasts
inner join findings
    using (study_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
where contrasts.study_id = 'g20_demo' and findings.finding_rank = 1 and contrasts.verdict is not null
order by contrasts.value
