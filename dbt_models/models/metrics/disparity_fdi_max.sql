{{ disparity_metric('fdi_max', 'distance_max', profiles='int_label_profiles') }}
