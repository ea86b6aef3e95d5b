{{ group_difference('mean_difference', kinds=['continuous']) }}
