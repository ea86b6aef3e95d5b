-- Which runs were there, what did they come to, and what did they cost?
select published_at, run_id, plumbline_version, n_hypotheses, n_significant, n_verdict_beyond_margin, n_calls, cost_usd, cost_reason
from runs
where study_id = 'g20_demo'
order by published_at
