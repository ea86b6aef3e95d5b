{{ disparity_metric('min', 'value_min') }}
