-- With what can the study be run again, and how is it cited?
select config_sha256, plumbline_version, run_id, published_at, is_simulated, methods
from studies
where study_id = 'g20_demo'
