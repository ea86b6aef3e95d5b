{{ group_difference('selection_rate_difference', kinds=['continuous'], statistic='selection_rate') }}
