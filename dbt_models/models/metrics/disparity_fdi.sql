{{ disparity_metric('fdi', 'distance_mean', profiles='int_label_profiles') }}
