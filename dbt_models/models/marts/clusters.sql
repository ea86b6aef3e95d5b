with

clusters as (
    select * from {{ source('raw', 'clusters') }}
)

select
    study_id,
    measure_id,
    factor,
    segment,
    cluster_position,
    theme,
    n_texts,
    parameters,
    seed,
    model,
    model_revision
from clusters
