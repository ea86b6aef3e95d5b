with

hypothesis_groups as (
    select * from {{ ref('int_hypothesis_groups') }} where is_significant and not is_mirror
),

sentences as (
    select * from {{ ref('int_finding_sentences') }} where group_id <> ''
),

placed as (
    select
        *,
        row_number() over (
            partition by {{ hypothesis_keys() | join(', ') }}
            order by
                is_because_of_others asc,
                round(abs(value), 12) desc nulls last,
                group_position asc,
                category asc,
                reference asc
        ) as group_rank
    from (select *, explained_by is not null as is_because_of_others from hypothesis_groups) as significant
)

select
    {% for key in hypothesis_keys() %}
    placed.{{ key }},
    {% endfor %}
    placed.group_id,
    placed.category,
    placed.reference,
    placed.group_rank as position,
    placed.value,
    placed.ci_low,
    placed.ci_high,
    placed.null_q95,
    placed.q_value,
    placed.significant_at_look,
    placed.verdict,
    case
        when not placed.differs_on_its_own then null
        when placed.advantage > 0 then 'advantaged'
        when placed.advantage < 0 then 'disadvantaged'
        else 'none declared'
    end as direction,
    placed.explained_by,
    placed.without_groups,
    sentences.sentence
from placed
inner join sentences using ({{ hypothesis_keys() | join(', ') }}, group_id, category, reference)
