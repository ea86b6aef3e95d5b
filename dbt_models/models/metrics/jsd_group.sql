-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id) of a categorical
-- measure: Jensen-Shannon divergence between the labels of the group and those of all groups, nats, at most ln 2,
-- responses counting alike. Source: FAIR-SEA; metrics.md 4.
{{ label_distance('jsd_group', 'jsd') }}
