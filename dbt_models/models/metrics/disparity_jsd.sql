{{ disparity_metric('jsd', 'jsd_mean', profiles='int_label_profiles') }}
