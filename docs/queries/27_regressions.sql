-- Which levels make a 1 likelier, all other factors held?
select factor_importance.regression_id, factor_importance.system_id, factor_importance.factor, level, reference,
    odds_ratio, factor_importance.q_value, role, deviance_drop
from factor_importance
left join factor_models using (study_id, regression_id, system_id, factor)
where study_id = 'g20_demo'
order by factor_importance.regression_id, factor_importance.system_id, deviance_drop desc, level
