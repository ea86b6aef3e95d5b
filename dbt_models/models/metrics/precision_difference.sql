{{ group_difference('precision_difference', kinds=['continuous'], statistic='precision') }}
