-- About whom do models refuse to speak?
select system_id, group_id, n_responses, n_refused, refusal_rate, ci_low, ci_high, q_value, verdict, hypothesis_q_value,
    hypothesis_verdict
from v_refusals
where study_id = 'g20_demo' and n_refused > 0
order by refusal_rate desc, system_id, group_id
