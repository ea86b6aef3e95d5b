-- Every statistic that a study asks for is one that SQL computes, or has an expression or a function of its own, and has
-- the options that it is computed with.
{% set needed = {
    'mean': 'true', 'median': 'true', 'variance': 'true', 'standard_deviation': 'true', 'skewness': 'true',
    'kurtosis': 'true', 'range': 'true',
    'mode': 'bin_width > 0',
    'quantile': 'level_low between 0 and 1',
    'percentile': 'level_low between 0 and 1',
    'quantile_range': 'level_low < level_high',
    'percentile_range': 'level_low < level_high',
    'correlation': "is_paired and method in ('pearson', 'spearman', 'kendall')",
    'kl_divergence': 'is_paired and n_bins > 1 and smoothing > 0',
    'precision': 'is_paired and threshold >= 0',
    'selection_rate': "standard is not null and method is not null and (standard <> 'fixed' or standard_value is not null)
        and (standard <> 'mode' or bin_width > 0) and (method not like 'within%' or threshold >= 0)
        and (standard not like '%tile%' or level_low is not null)",
} %}
select *
from {{ source('raw', 'statistics') }}
where
    not coalesce(
        case statistic
            {% for name, condition in needed.items() %}
            when '{{ name }}' then {{ condition }}
            {% endfor %}
            else (expression is null) <> (function_path is null)
        end,
        false
    )
    or normalise not in ('', 'before', 'after')
    or (normalise <> '' and normalise_over not in ('system', 'all'))
