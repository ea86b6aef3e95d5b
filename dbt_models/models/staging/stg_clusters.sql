select
    cast(study_id as string) as study_id,
    cast(measure_id as string) as measure_id,
    cast(factor as string) as factor,
    cast(segment as string) as segment,
    cast(cluster_position as integer) as cluster_position,
    cast(theme as string) as theme,
    cast(n_texts as integer) as n_texts,
    cast(parameters as string) as parameters,
    cast(seed as bigint) as seed,
    cast(model as string) as model,
    cast(model_revision as string) as model_revision
from {{ source('raw', 'clusters') }}
