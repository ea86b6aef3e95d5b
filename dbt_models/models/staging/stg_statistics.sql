select
    cast(study_id as string) as study_id,
    cast(statistic as string) as statistic,
    cast(parameters as string) as parameters,
    cast(normalise as string) as normalise,
    cast(normalise_over as string) as normalise_over,
    cast(is_paired as boolean) as is_paired,
    cast(method as string) as method,
    cast(level_low as double) as level_low,
    cast(level_high as double) as level_high,
    cast(bin_width as double) as bin_width,
    cast(n_bins as integer) as n_bins,
    cast(smoothing as double) as smoothing,
    cast(threshold as double) as threshold,
    cast(standard as string) as standard,
    cast(standard_value as double) as standard_value,
    cast(expression as string) as expression
from {{ source('raw', 'statistics') }}
