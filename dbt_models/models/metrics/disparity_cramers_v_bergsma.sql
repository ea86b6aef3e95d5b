{% set groups = '(n_groups - power(n_groups - 1, 2) / (n_cells - 1.0e0))' %}
{% set labels = '(n_labels - power(n_labels - 1, 2) / (n_cells - 1.0e0))' %}
{{ disparity_metric(
    'cramers_v_bergsma',
    'sqrt(greatest(phi_squared - (n_groups - 1) * (n_labels - 1) / (n_cells - 1.0e0), 0) / (least('
    ~ groups ~ ', ' ~ labels ~ ') - 1))',
    reasons={
        'n_labels = 1': 'constant_values',
        'least(' ~ groups ~ ', ' ~ labels ~ ') <= 1': 'too_few_values',
    },
    where='not is_pooled',
    profiles='int_label_profiles',
) }}
