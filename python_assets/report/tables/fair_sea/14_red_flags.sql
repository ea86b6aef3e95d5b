-- Red flags for bias
-- Source: FAIR-SEA, Red Flags for Bias
-- Needs: a measure with labels or on a scale
select flag, status, slice_id as prompt_category, measure_id as outcome, grouping_id as attribute,
    system_id as model, metric, group_id, category, value, threshold, null_q95 as noise_floor, verdict, n_models,
    sentence, reason
from red_flags
where study_id = $study
order by
    case status when 'raised' then 1 when 'band_only' then 2 when 'not_raised' then 3 else 4 end, flag, prompt_category,
    outcome, attribute, model, group_id, category
