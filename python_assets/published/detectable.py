"""The smallest difference that the design detects with what was observed, for each system.

Belongs here: one query, which every page and file that says `detectable` reads.

Source: inference.md 9.
"""

from typing import Final

from python_assets.study.base import ALL_PROMPTS, BASELINE

# of cells of an intersectional grouping the interaction is tested, where it can be
TESTED_CONTRASTS: Final = "('interaction', 'mean_difference', 'risk_difference')"
# the published row is of all systems together; each system's share of it follows from the errors of its contrasts
DETECTABLE: Final = f"""
    with variances as (
        select system_id, grouping_id, measure_id, contrast, category, avg(std_error * std_error) as variance,
            count(std_error) as n
        from contrasts
        where study_id = $study and slice_id = '{ALL_PROMPTS}' and calibration = 'raw' and system_id <> '{BASELINE}'
            and contrast in {TESTED_CONTRASTS}
        group by system_id, grouping_id, measure_id, contrast, category
    ),
    of_all as (
        select grouping_id, measure_id, contrast, category, sum(n * variance) / sum(n) as variance
        from variances
        where n > 0
        group by grouping_id, measure_id, contrast, category
    ),
    scales as (
        select system_id, grouping_id, measure_id, contrast,
            sqrt(max(variances.variance) / max(of_all.variance)) as scale
        from variances
        left join of_all using (grouping_id, measure_id, contrast, category)
        group by system_id, grouping_id, measure_id, contrast
    )
    select system_id as model, measure_id, grouping_id,
        minimum_detectable_effect * scale as detectable,
        case
            when minimum_detectable_effect is null then coalesce(reason, 'spread_unknown')
            when scale is null then 'spread_unknown'
        end as detectable_reason
    from scales
    inner join design_power using (grouping_id, measure_id, contrast)
    where study_id = $study and source = 'observed'
    qualify row_number() over (partition by system_id, measure_id, grouping_id order by contrast) = 1
"""
"""A row per model, measure and grouping, of raw values of all prompts: detectable in the unit of the measure, or why
there is none."""
