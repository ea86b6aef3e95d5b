with

prompt_cells as (
    select * from {{ ref('int_prompt_cells') }}
),

answers as (
    select
        study_id,
        prompt_id,
        count(*) as n_responses,
        sum(case when status = 'ok' then 1 else 0 end) as n_responses_ok
    from {{ source('raw', 'responses') }}
    group by study_id, prompt_id
)

select
    study_id,
    factors,
    cell_position,
    min(prompt_id) as prompt_id,
    count(*) as n_prompts,
    cast(coalesce(sum(n_responses), 0) as bigint) as n_responses,
    cast(coalesce(sum(n_responses_ok), 0) as bigint) as n_responses_ok
from prompt_cells
left join answers using (study_id, prompt_id)
group by study_id, factors, cell_position
