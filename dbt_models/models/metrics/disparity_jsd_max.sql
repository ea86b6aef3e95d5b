{{ disparity_metric('jsd_max', 'jsd_max', profiles='int_label_profiles') }}
