-- Every statistic that a study asks for has its aggregate and the parameters that SQL computes it with; every selection
-- rate its standard and its method; every precision its threshold.
select study_id, statistic, parameters, standard, method, standard_value
from {{ ref('stg_statistics') }}
where
    statistic not in ('selection_rate', 'precision', '{{ column_statistics() | join("', '") }}')
    or (statistic = 'correlation' and parameters <> 'method=pearson')
    or (
        statistic = 'kl_divergence'
        and parameters <> 'bins={{ kl_bins().n }};smoothing={{ kl_bins().smoothing }}'
    )
    or (statistic = 'precision' and parameters not like 'threshold=%')
    or (
        statistic = 'selection_rate'
        and (
            coalesce(standard, '') not in ('{{ selection_standards().keys() | join("', '") }}')
            or coalesce(method, '') not in ('larger', 'smaller')
            or (standard = 'fixed' and standard_value is null)
        )
    )
