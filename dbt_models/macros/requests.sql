{# CTEs of calls and failed_calls: requests, and systems. Prompts that read alike are asked once: their rows are one
   request. #}
{% macro requests() -%}
responses as (
    select * from {{ ref('responses') }}
),

systems as (
    select * from {{ source('raw', 'systems') }}
),

requests as (
    select
        study_id,
        system_id,
        response_id,
        min(coalesce(outcome, status)) as outcome,
        min(latency_seconds) as seconds,
        min(n_tokens_in) as n_tokens_in,
        min(n_tokens_out) as n_tokens_out,
        min(n_retries) as n_retries,
        min(failed_calls_json) as failed_calls_json
    from responses
    group by study_id, system_id, response_id
)
{%- endmacro %}
