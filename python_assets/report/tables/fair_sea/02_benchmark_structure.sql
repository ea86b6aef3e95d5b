-- Prompt categories and their outcomes
-- Source: FAIR-SEA, Benchmark Structure
-- Needs: a question, of any slice
select slice_id as prompt_category, measure_id as outcome, kind as outcome_type, scorer as annotated_by,
    string_agg(distinct grouping_id, '; ' order by grouping_id) as analysed_by,
    count(distinct system_id) as n_models, max(n_root_prompts) as n_root_prompts, max(n_responses) as n_responses,
    count(*) filter (where verdict in ('beyond_margin', 'different')) as n_shown, count(*) as n_hypotheses
from findings
inner join measures using (study_id, measure_id)
where study_id = $study and grouping_id <> 'negative_control' and calibration = 'raw'
    and statistic in ('mean', 'share') and findings.parameters = ''
group by all
order by prompt_category, outcome
