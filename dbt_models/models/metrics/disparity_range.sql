{{ disparity_metric('range', 'value_max - value_min') }}
