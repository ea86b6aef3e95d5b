-- Which themes do answers hold, and how close are answers to them?
select clusters.segment, clusters.cluster_position, theme, n_texts, system_id, threshold, precision
from clusters
left join cluster_precision using (study_id, measure_id, segment, cluster_position)
where study_id = 'g20_demo'
order by clusters.segment, clusters.cluster_position, system_id, threshold
