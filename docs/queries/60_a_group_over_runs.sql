-- How did the difference of a group run over the runs?
select runs.published_at, run_groups.system_id, run_groups.value, run_groups.ci_low, run_groups.ci_high,
    run_groups.verdict, run_findings.wave, run_findings.scorer_versions
from run_groups
inner join runs using (study_id, run_id)
inner join run_findings
    using (study_id, run_id, slice_id, system_id, grouping_id, measure_id, calibration, statistic, parameters)
where study_id = 'g20_demo' and group_id = 'Russia' and measure_id = 'sentiment' and calibration = 'raw'
    and statistic = 'mean' and reference_system_id = ''
order by runs.published_at, run_groups.system_id
