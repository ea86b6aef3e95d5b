{# CTEs of scored_responses and unscored_forms: declared_measures, those that the study file names and not those that
   follow from another or are in every study; measured, a row a response of a system that is evaluated, without
   those to negative controls. #}
{% macro declared_measures() -%}
measures as (
    select * from {{ source('raw', 'measures') }}
),

endings as (
    {%- for ending in ['unscored', 'undecided', 'undecided_as_no', 'as_written', 'disagreement'] %}
    select '_{{ ending }}' as ending
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
),

following_measures as (
    select study_id, measure_id || ending as measure_id
    from measures
    cross join endings
),

declared_measures as (
    select measures.study_id, measures.measure_id
    from measures
    left join following_measures using (study_id, measure_id)
    where
        following_measures.measure_id is null
        and measures.scorer <> 'similarity'
        and measures.measure_id not in ('refusal', 'empty', 'truncated', 'other_language')
),

-- an import of scores has texts of no response: other measures are not taken of it
read_measures as (
    select study_id, system_id, measure_id
    from {{ source('raw', 'measurements') }}
    group by study_id, system_id, measure_id
    having max(case when reason = 'no_response_text' then 0 else 1 end) = 1
),

measured as (
    select
        measurements.study_id,
        measurements.system_id,
        measurements.measure_id,
        measurements.prompt_id,
        measurements.reason,
        responses.response_text,
        responses.is_truncated,
        {{ loss_of('measurements.reason', 'responses.response_text') }} as loss
    from {{ source('raw', 'measurements') }} as measurements
    inner join declared_measures using (study_id, measure_id)
    inner join read_measures using (study_id, system_id, measure_id)
    inner join {{ source('raw', 'systems') }} as systems using (study_id, system_id)
    inner join {{ ref('responses') }} as responses using (study_id, system_id, prompt_id, replicate)
    inner join {{ source('raw', 'prompts') }} as prompts using (study_id, prompt_id)
    where not systems.is_baseline and not systems.is_engine and prompts.negative_control is null
)
{%- endmacro %}
