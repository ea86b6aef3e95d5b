with

{{ judged_answers() }},

{% set keys -%}
    comparison_position, selection_position, group_position, block_position, root_position, stratum_position
{%- endset %}
prompt_sums as (
    select
        {{ keys }},
        sum(x) as total,
        sum(cast(is_selected as integer)) as n_selected,
        count(is_selected) as n_selectable,
        count(*) as n_responses
    from judged
    where not is_alone
    group by {{ keys }}, prompt_position
)

select
    {{ keys }},
    sum(total) as total,
    cast(sum(n_selected) as bigint) as n_selected,
    cast(sum(n_selectable) as bigint) as n_selectable,
    cast(sum(n_responses) as bigint) as n_responses,
    count(*) as n_prompts,
    avg(total / n_responses) as cell_mean,
    avg(case when n_selectable > 0 then cast(n_selected as double) / n_selectable end) as selected_share,
    min(n_responses) as min_responses,
    max(n_responses) as max_responses
from prompt_sums
group by {{ keys }}
union all
-- one response needs no summing up: of most studies these are all cells
select
    {{ keys }},
    x as total,
    cast(is_selected as bigint) as n_selected,
    cast(is_selected is not null as bigint) as n_selectable,
    cast(1 as bigint) as n_responses,
    cast(1 as bigint) as n_prompts,
    x as cell_mean,
    cast(cast(is_selected as integer) as double) as selected_share,
    cast(1 as bigint) as min_responses,
    cast(1 as bigint) as max_responses
from judged
where is_alone
