select
    cast(study_id as string) as study_id,
    cast(measure_id as string) as measure_id,
    cast(kind as string) as kind,
    cast(unit as string) as unit,
    cast(scale_low as double) as scale_low,
    cast(scale_high as double) as scale_high,
    cast(direction as string) as direction,
    cast(favourable as string) as favourable,
    cast(extractor as string) as extractor,
    cast(model as string) as model,
    cast(model_revision as string) as model_revision,
    cast(parameters as string) as parameters,
    cast(languages as string) as languages,
    cast(segment_factor as string) as segment_factor
from {{ source('raw', 'measures') }}
