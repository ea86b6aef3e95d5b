-- Which branches were not made, and why?
select level, dropped_reason, words, count(*) as n
from branches
where study_id = 'g20_demo'
group by all
order by dropped_reason nulls last, level, words
