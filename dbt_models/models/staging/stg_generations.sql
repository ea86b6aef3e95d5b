select
    cast(study_id as string) as study_id,
    cast(generation_id as string) as generation_id,
    cast(provider as string) as provider,
    cast(model as string) as model,
    cast(model_digest as string) as model_digest,
    cast(engine_version as string) as engine_version,
    cast(system_prompt as string) as system_prompt,
    cast(prompt_template as string) as prompt_template,
    cast(decoding_json as string) as decoding_json,
    cast(extensions_json as string) as extensions_json,
    cast(model_details_json as string) as model_details_json,
    cast(is_simulated as boolean) as is_simulated,
    cast(is_baseline as boolean) as is_baseline
from {{ source('raw', 'generations') }}
