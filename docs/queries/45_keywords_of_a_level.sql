-- Which words stood for a level in the texts?
select level, keyword, keyword_type, keyword_provider, score
from keywords
where study_id = 'g20_demo'
order by level, score desc nulls last, keyword
