-- The curves of two models compared: the test of Kolmogorov and Smirnov
-- Source: multi-factor document 3.3.1
-- Needs: two generations, and a measure of yes and no
select measure_id as measure, slice_id as slice, grouping_id as factors, system_id as system,
    reference_system_id as against, value as "D", p_value_exact as p_naive, p_value_asymptotic as p_naive_asymptotic,
    p_value as p, q_value as q, verdict, n_groups_a, n_groups_b, reason, inference_reason
from system_comparisons
where study_id = $study and comparison = 'kolmogorov_smirnov'
order by measure, slice, factors, system, against
