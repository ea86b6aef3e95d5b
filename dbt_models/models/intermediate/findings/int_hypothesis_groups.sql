with

contrasts as (
    select *, value_cells as value from {{ source('inference', 'contrasts') }}
    where verdict is not null and contrast <> 'log_disparity'
),

hypotheses as (
    select * from {{ source('inference', 'hypotheses') }}
),

metrics as (
    select name, has_direction from {{ ref('metrics') }} where of = 'contrasts'
),

measures as (
    select study_id, measure_id, kind, direction, favourable from {{ source('raw', 'measures') }}
),

slice_groups as (
    select study_id, slice_id, grouping_id, group_id, min(group_position) as group_position
    from {{ ref('int_prompt_groups') }}
    group by study_id, slice_id, grouping_id, group_id
),

placed as (
    select
        contrasts.*,
        hypotheses.n_groups,
        slice_groups.group_position,
        coalesce(others.group_position, -1) as reference_position
    from contrasts
    inner join hypotheses using ({{ hypothesis_keys() | join(', ') }})
    inner join slice_groups using (study_id, slice_id, grouping_id, group_id)
    left join slice_groups as others
        on contrasts.study_id = others.study_id
        and contrasts.slice_id = others.slice_id
        and contrasts.grouping_id = others.grouping_id
        and contrasts.reference = others.group_id
),

pairs as (
    select
        *,
        row_number() over (
            partition by
                {{ hypothesis_keys() | join(', ') }},
                category,
                case when reference_position < 0 then -1 else least(group_position, reference_position) end,
                case when reference_position < 0 then -1 else greatest(group_position, reference_position) end,
                value is null
            order by group_position asc
        ) as place_in_pair
    from placed
)

select
    {% for key in hypothesis_keys() %}
    pairs.{{ key }},
    {% endfor %}
    pairs.contrast,
    pairs.group_id,
    pairs.category,
    pairs.reference,
    pairs.group_position,
    pairs.n_groups,
    pairs.value,
    pairs.std_error,
    pairs.ci_low,
    pairs.ci_high,
    pairs.ci_low_selected,
    pairs.ci_high_selected,
    pairs.value_shrunken,
    pairs.value_standardised,
    pairs.verdict_with_missing,
    pairs.tipping_shift,
    pairs.missing_share,
    pairs.missing_share_rest,
    pairs.null_q95,
    pairs.q_value,
    pairs.q_permuted,
    pairs.significant_at_look,
    pairs.p_equivalence,
    pairs.q_equivalence,
    pairs.margin,
    pairs.margin_origin,
    pairs.verdict,
    pairs.n_needed,
    pairs.n_needed_for,
    pairs.n_needed_reason,
    pairs.value_at_call,
    pairs.value_without,
    pairs.explained_by,
    pairs.without_groups,
    pairs.n_root_prompts,
    pairs.n_units,
    pairs.scope,
    pairs.inference_reason,
    pairs.mirror_of is not null
        or (pairs.value is not null and pairs.place_in_pair > 1 and (pairs.n_groups = 2 or pairs.reference_position >= 0))
        as is_mirror,
    -- one that differs because of another group alone is told beside those that stand
    pairs.significant_at_look is not null
    and (pairs.verdict in ('beyond_margin', 'different', 'equivalent') or pairs.explained_by is not null)
        as is_significant,
    {{ is_shown('pairs.verdict') }} as differs_on_its_own,
    cast(
        case
            when not metrics.has_direction then 0
            when pairs.statistic = 'selection_rate' and pairs.parameters not like '%method=larger%' then 0
            when measures.kind = 'categorical' and pairs.category = measures.favourable then sign(pairs.value)
            when measures.kind = 'categorical' then 0
            when measures.direction = 'higher_better' then sign(pairs.value)
            when measures.direction = 'higher_worse' then -sign(pairs.value)
            else 0
        end as integer
    ) as advantage
from pairs
inner join measures using (study_id, measure_id)
inner join metrics on pairs.contrast = metrics.name
