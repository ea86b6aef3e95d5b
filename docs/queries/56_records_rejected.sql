-- Which records were rejected, and what was wrong with them?
select stage, rule, record_key, detail, quarantined_at
from quarantined_records
where study_id = 'g20_demo'
order by stage, rule, record_key
