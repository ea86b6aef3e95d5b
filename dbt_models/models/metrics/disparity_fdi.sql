-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id) of a categorical measure.
-- How far the labels of the groups lie from those of all responses: total variation, 0 to 1, the unweighted mean over
-- groups. The document's formula sums over groups; its example, a value a group, and its range need this reading.
-- Source: FAIR-SEA; metrics.md 4.
{{ disparity_metric('fdi', 'distance_mean', profiles='int_label_profiles') }}
