{{ disparity_metric(
    'jsd_between_groups', 'jsd_between_groups', where='not is_pooled', profiles='int_label_profiles'
) }}
