-- Topics: how often responses stay as near to a cluster as their baselines
-- Source: SAGED 5.2, Figures 32 and 33
-- Needs: measure clusters
select measure_id as measure, segment as concept, cluster_position as cluster, theme, systems.model, system_prompt_name,
    system_id as system, threshold, n as n_responses, n_within, precision, reason
from cluster_precision
inner join systems using (study_id, system_id)
left join clusters using (study_id, measure_id, segment, cluster_position)
where study_id = $study
order by all
