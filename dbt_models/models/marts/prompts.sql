with

prompts as (
    select * from {{ source('raw', 'prompts') }}
)

select
    study_id,
    prompt_id,
    root_prompt_id,
    unit_id,
    unit_factor,
    is_root,
    task,
    messages_json,
    prompt_text,
    baseline_text,
    baseline_kind,
    source_tag,
    keyword,
    document_id,
    replacements_json,
    negative_control
from prompts
