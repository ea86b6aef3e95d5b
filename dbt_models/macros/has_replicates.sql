{# Whether any prompt has several responses of one generation, read when the SQL is written: without, a response is its
   prompt and need not be summed up to it first. #}
{% macro has_replicates() -%}
{%- set responses = source('raw', 'responses') -%}
{%- if not execute -%}
{{ return(true) }}
{%- endif -%}
{{ return(run_query('select coalesce(max(replicate), 0) > 0 as has_any from ' ~ responses).rows[0]['has_any']) }}
{%- endmacro %}
