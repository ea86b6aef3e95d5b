-- Which red flags of FAIR-SEA were raised, which numbers are red without a verdict, and what could not be looked for?
select flag, status, reason, count(*) as n, min(sentence) as first
from red_flags
where study_id = 'g20_demo' and status <> 'not_raised'
group by flag, status, reason
order by status = 'not_evaluated', flag, status, reason
