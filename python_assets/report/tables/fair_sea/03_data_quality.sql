-- Data quality requirements and removal rates
-- Source: FAIR-SEA, Data Quality Requirements
-- Needs: a run of this version
select rule_position as position, definition as requirement, is_met, n_evaluated, n_unexpected, n_removed,
    removal_rate, consequence, reason
from v_quality_rules
where study_id = $study
order by position
