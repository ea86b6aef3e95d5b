-- Do people agree with each other, and with what read the answers?
select measure_id, comparison, rater, other_rater, n, n_root_prompts, agreement, kappa, alpha, sensitivity, specificity
from label_agreement
where study_id = 'g20_demo'
order by measure_id, comparison, rater, other_rater
