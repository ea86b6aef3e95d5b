-- One row per (study_id, finding_rank): the rows of contrasts and disparities that have a verdict, worst first; those
-- about the baseline, which show the bias of the measuring tool, after all others.
with

sentences as (
    {{ union_of(['int_contrast_sentences', 'int_disparity_sentences']) }}
),

ranked as (
    select
        *,
        row_number() over (
            partition by study_id
            order by
                is_tool_bias asc,
                case verdict
                    when 'bias_shown' then 1
                    when 'difference_shown' then 2
                    when 'equivalence_shown' then 3
                    when 'inconclusive' then 4
                    else 5
                end asc,
                p_value asc nulls last,
                effect_in_std_errors desc nulls last,
                generation_id asc,
                slice_id asc,
                measure_id asc,
                calibration asc,
                grouping_id asc,
                source_mart asc,
                name asc,
                group_id asc,
                category asc,
                reference asc,
                statistic asc,
                parameters asc
        ) as finding_rank
    from sentences
)

select
    study_id,
    finding_rank,
    source_mart,
    name,
    slice_id,
    generation_id,
    measure_id,
    calibration,
    grouping_id,
    group_id,
    category,
    reference,
    statistic,
    parameters,
    is_tool_bias,
    value,
    ci_low,
    ci_high,
    p_value,
    q_value,
    margin,
    verdict,
    scope,
    n_needed,
    sentence
from ranked
