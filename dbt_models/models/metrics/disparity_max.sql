{{ disparity_metric('max', 'value_max') }}
