-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id) of a categorical measure.
-- Cramer's V of group and label, 0 to 1; NULL where all responses have one label. Source: FAIR-SEA; metrics.md 4.
{{ disparity_metric(
    'cramers_v',
    'sqrt(phi_squared / (least(n_groups, n_labels) - 1))',
    reasons={'n_labels = 1': 'constant_values'},
    profiles='int_label_profiles',
) }}
