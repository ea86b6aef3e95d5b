{#- No run knows what it is held against: rows come in once it is kept, from python_assets/gate, which writes them where
   they are published. Here stands what they look like. #}
select
    {% for column in ['study_id', 'run_id', 'against_run_id', 'slice_id', 'system_id', 'grouping_id', 'measure_id',
        'calibration', 'group_id', 'category'] %}
    cast('' as string) as {{ column }},
    {% endfor %}
    cast(null as timestamp) as compared_at,
    {% for column in ['mean_then', 'mean_now', 'change', 'ci_low', 'ci_high', 'margin'] %}
    cast(null as double) as {{ column }},
    {% endfor %}
    cast(null as string) as verdict,
    cast('' as string) as outcome,
    cast(null as string) as explained_by,
    cast(null as bigint) as n_dropped,
    cast(null as string) as reason
where false
