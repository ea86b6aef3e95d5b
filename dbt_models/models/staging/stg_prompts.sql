select
    cast(study_id as string) as study_id,
    cast(prompt_id as string) as prompt_id,
    cast(root_prompt_id as string) as root_prompt_id,
    cast(unit_id as string) as unit_id,
    cast(is_root as boolean) as is_root,
    cast(task as string) as task,
    cast(prompt_text as string) as prompt_text,
    cast(baseline_text as string) as baseline_text,
    cast(baseline_kind as string) as baseline_kind,
    cast(source_tag as string) as source_tag,
    cast(keyword as string) as keyword,
    cast(document_id as string) as document_id,
    cast(replacements_json as string) as replacements_json
from {{ source('raw', 'prompts') }}
