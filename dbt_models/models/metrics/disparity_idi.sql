{{ disparity_metric('idi', 'distance_mean', where='has_every_factor', profiles='int_label_profiles') }}
