"""The smallest detectable difference of each system, made anew by the rule of docs/design/inference.md 9."""

from typing import Final

_LEVELS: Final = "study_id, measure_id, grouping_id, contrast"
DETECTABLE: Final = f"""
    (with errors as (
        select {_LEVELS}, system_id, category, std_error ** 2 as variance
        from contrasts
        where slice_id = 'all' and calibration = 'raw' and system_id <> 'baseline' and std_error is not null
    ),
    own as (select {_LEVELS}, system_id, category, avg(variance) as own from errors group by all),
    every as (select {_LEVELS}, category, avg(variance) as every from errors group by all)
    select study_id, system_id, measure_id, grouping_id,
        minimum_detectable_effect * sqrt(max(own) / max(every)) as detectable
    from own
    join every using ({_LEVELS}, category)
    join design_power using ({_LEVELS})
    where source = 'observed' and contrast in ('interaction', 'mean_difference', 'risk_difference')
    group by study_id, system_id, measure_id, grouping_id, contrast, minimum_detectable_effect
    qualify row_number() over (partition by study_id, system_id, measure_id, grouping_id order by contrast) = 1)
"""
"""A relation with a row per study, system, measure and grouping."""
