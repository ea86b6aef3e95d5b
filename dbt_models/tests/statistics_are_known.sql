-- Every statistic that a study asks for has its aggregate; every selection rate its standard and its method.
select study_id, statistic, parameters, standard, method, standard_value
from {{ ref('stg_statistics') }}
where
    statistic not in ('selection_rate', '{{ group_statistics().keys() | join("', '") }}')
    or (
        statistic = 'selection_rate'
        and (
            coalesce(standard, '') not in ('{{ selection_standards().keys() | join("', '") }}')
            or coalesce(method, '') not in ('larger', 'smaller')
            or (standard = 'fixed' and standard_value is null)
        )
    )
