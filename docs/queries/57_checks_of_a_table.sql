-- Which checks did a table pass, on how many rows?
select expectation, column_name, severity, success, n_evaluated, n_unexpected
from data_quality
where study_id = 'g20_demo' and table_name = 'responses'
order by expectation, column_name
