{# CTEs that end in judged: one row per (comparison_position, selection_position, prompt_position, replicate), every value
   of a comparison with whether each selection of the study takes it; selection_position 0, is_selected NULL where there
   is none. int_cell_sums counts them, int_selected_answers is what inference reads of single answers. #}
{% macro judged_answers() -%}
grouped_values as (
    select * from {{ ref('int_grouped_values') }} where x is not null
),

comparisons as (
    select * from {{ ref('int_comparisons') }}
),

standards as (
    select * from {{ ref('int_selection_standards') }}
),

selecting as (
    select
        comparisons.comparison_position,
        coalesce(standards.selection_position, 0) as selection_position,
        standards.normalise,
        standards.method,
        standards.bound_low,
        standards.bound_high,
        standards.centre,
        standards.spread
    from comparisons
    left join standards using (study_id, slice_id, outcome_position)
),

{% set x, baseline = 'grouped_values.x', 'grouped_values.baseline' %}
{% set centre, spread = 'selecting.centre', 'selecting.spread' %}
judged as not materialized (  -- used several times, each time for a few of its rows
    select
        comparison_position,
        selecting.selection_position,
        grouped_values.group_position,
        grouped_values.block_position,
        grouped_values.root_position,
        grouped_values.stratum_position,
        grouped_values.prompt_position,
        grouped_values.replicate,
        grouped_values.is_alone,
        grouped_values.x,
        case
            when selecting.normalise = 'before'
            then
                {{ is_selected(
                    normalised(x, centre, spread), normalised(baseline, centre, spread), 'selecting'
                ) }}
            else {{ is_selected(x, baseline, 'selecting') }}
        end as is_selected
    from grouped_values
    inner join selecting using (comparison_position)
)
{%- endmacro %}
