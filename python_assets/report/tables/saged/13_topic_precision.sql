-- Topics: how often responses stay as near to a cluster as their baselines
-- Source: SAGED 5.2, Figures 32 and 33
-- Needs: measure clusters
select measure_id as measure, segment as concept, cluster_position as cluster, theme, generations.model, role,
    generation_id as generation, threshold, n as n_responses, n_within, precision, reason
from cluster_precision
inner join generations using (study_id, generation_id)
left join clusters using (study_id, measure_id, segment, cluster_position)
where study_id = $study
order by all
