{{ group_difference('risk_difference', kinds=['binary', 'categorical']) }}
