{{ disparity_metric('mean', 'value_mean') }}
