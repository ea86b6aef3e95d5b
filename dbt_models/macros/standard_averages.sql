{# CTEs of int_selection_standards: the mean, the quantiles and the fullest bin of the values that a standard is of, which
   are normalised where the selection is. Plain means are cheaper: it has them for all outcomes. #}
{% macro standard_averages() -%}
standard_values as (
    select
        slice_id,
        outcome_position,
        selecting.selection_position,
        selecting.standard,
        selecting.bin_width,
        coalesce(selecting.level_low, 0.5e0) as level_low,
        coalesce(selecting.level_high, selecting.level_low, 0.5e0) as level_high,
        case
            when selecting.normalise = 'before'
            then {{ normalised('outcome_values.x', 'scales.centre', 'scales.spread') }}
            else outcome_values.x
        end as x
    from outcome_values
    inner join prompt_slices using (prompt_position)
    inner join selecting using (study_id, slice_id, outcome_position)
    left join scales using (study_id, slice_id, outcome_position, normalise_over)
    where
        selecting.statistic = 'selection_rate'
        and selecting.standard <> 'fixed'
        and (selecting.standard <> 'mean' or selecting.normalise = 'before')
),

means as (
    select slice_id, outcome_position, selection_position, avg(x) as mean
    from standard_values
    where standard = 'mean'
    group by slice_id, outcome_position, selection_position
),

placed as (
    select
        *,
        row_number() over (partition by slice_id, outcome_position, selection_position order by x asc nulls last) - 1
            as place,
        count(*) over (partition by slice_id, outcome_position, selection_position) - 1 as last_place
    from standard_values
    where standard in ('median', 'quantile', 'percentile', 'quantile_range', 'percentile_range')
),

quantiles as (
    -- linear between the two values around the quantile
    select
        slice_id,
        outcome_position,
        selection_position,
        sum(x * greatest(0, 1 - abs(place - level_low * last_place))) as quantile_low,
        sum(x * greatest(0, 1 - abs(place - level_high * last_place))) as quantile_high
    from placed
    group by slice_id, outcome_position, selection_position
),

bins as (
    select
        slice_id,
        outcome_position,
        selection_position,
        {{ mode_bin('x', 'bin_width') }} as bin,
        count(*) as n_bin
    from standard_values
    where standard = 'mode' and x is not null
    group by slice_id, outcome_position, selection_position, bin
),

ranked_bins as (
    select *, row_number() over (
        partition by slice_id, outcome_position, selection_position order by n_bin desc, bin asc
    ) as place
    from bins
),

fullest as (
    select * from ranked_bins where place = 1
)
{%- endmacro %}
