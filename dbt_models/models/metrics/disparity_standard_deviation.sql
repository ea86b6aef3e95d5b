{{ disparity_metric('standard_deviation', 'value_sd') }}
