-- How many records broke each rule, and what became of them?
select rule, definition, is_met, n_unexpected, n_evaluated, n_removed, removal_rate, consequence
from v_quality_rules
where study_id = 'g20_demo'
order by rule_position
