{{ disparity_metric('jsd_between_groups', 'jsd_between_groups', profiles='int_label_profiles') }}
