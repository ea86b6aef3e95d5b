{% set keys = (hypothesis_keys() + ['reference_system_id']) | join(', ') %}
{% set named = ['metric', 'group_id', 'category', 'reference'] %}
{% set sizes = ['value', 'ci_low', 'ci_high', 'margin'] %}
with

run_findings as (
    select
        *,
        -- nothing to draw, or a run published before rows were named: what heads it is not known
        case when coalesce(headline_metric, largest_metric) is not null then headline_metric is not null end as is_headline
    from {{ ref('run_findings') }}
    where not {{ is_of_controls() }}
),

runs as (
    select study_id, run_id, published_at from {{ ref('runs') }}
),

-- what is drawn: the row that heads the hypothesis, else its largest; never a part of one beside a part of the other
drawn as (
    select
        *,
        {% for column in named + sizes + ['margin_origin'] %}
        case when is_headline then headline_{{ column }} else largest_{{ column }} end as {{ column }}{{ ',' if not loop.last }}
        {% endfor %}
    from run_findings
),

in_order as (
    select
        drawn.*,
        runs.published_at,
        row_number() over run_order as run_position,
        lag(drawn.run_id) over run_order as run_id_before,
        lag(scorer_versions) over run_order as scorer_versions_before,
        {% for column in named %}
        lag({{ column }}) over run_order as {{ column }}_before{{ ',' if not loop.last }}
        {% endfor %}
    from drawn
    inner join runs using (study_id, run_id)
    window run_order as (partition by {{ keys }} order by published_at asc nulls first, run_id asc)
)

select
    {% for key in hypothesis_keys() %}
    {{ key }},
    {% endfor %}
    reference_system_id,
    run_id,
    run_position,
    run_id_before,
    published_at,
    wave,
    outcome,
    reason,
    {{ rounded('p_value') }} as p_value,
    {{ rounded('q_value') }} as q_value,
    {{ rounded('q_permuted') }} as q_permuted,
    wording,
    verdict,
    is_headline,
    metric,
    group_id,
    category,
    {% for column in sizes %}
    {{ rounded(column) }} as {{ column }},
    {% endfor %}
    margin_origin,
    unit,
    n_responses,
    n_root_prompts,
    scorer_versions,
    scorer_versions <> scorer_versions_before as scorer_changed,
    -- NULL where either run has none; of a metric no group stands in either
    case
        when metric is not null and metric_before is not null
        then
            metric = metric_before
            and coalesce(group_id, '') = coalesce(group_id_before, '')
            and category = category_before
            and reference = reference_before
    end as is_same_effect
from in_order
