select
    cast(study_id as string) as study_id,
    cast(title as string) as title,
    cast(domain as string) as domain,
    cast(config_json as string) as config_json,
    cast(config_sha256 as string) as config_sha256,
    cast(plumbline_version as string) as plumbline_version,
    cast(run_id as string) as run_id,
    cast(started_at as timestamp) as started_at,
    cast(alpha as double) as alpha,
    cast(analysis_sha256 as string) as analysis_sha256,
    cast(analysis_frozen_at as timestamp) as analysis_frozen_at,
    cast(is_simulated as boolean) as is_simulated
from {{ source('raw', 'studies') }}
