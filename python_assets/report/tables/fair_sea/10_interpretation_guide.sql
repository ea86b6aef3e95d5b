-- Interpretation guide: p and effect, what the document advises, and what the verdict allows
-- Source: FAIR-SEA, Statistical Significance vs. Practical Significance
-- Needs: a measure of labels, contrast dbi of one on a scale, or association_tests
select slice_id as prompt_category, measure_id as outcome, grouping_id as attribute, system_id as model, test,
    p_document, p_band, effect_name, value as effect, band as effect_band, null_q95 as noise_floor,
    document_action as action_by_p_document, q_value as q, verdict, action as action_by_verdict, sentence, reason
from interpretations
where study_id = $study
order by prompt_category, outcome, attribute, model
