-- Is a difference of one group, or of many?
select system_id, measure_id, statistic, concentration, max_abs_z, max_abs_z_null_q95, reason
from concentrations
where study_id = 'g20_demo' and calibration = 'raw'
order by system_id, measure_id, statistic, parameters
