-- One row per (study_id, slice_id, generation_id, measure_id, calibration, grouping_id, group_id, reference) of a
-- binary measure.
-- Source: multi-factor document, equation 3, with 0.5 added to the four counts (Haldane 1956, Anscombe 1956).
{{ log_disparity_contrast('log_disparity_haldane', add=0.5) }}
