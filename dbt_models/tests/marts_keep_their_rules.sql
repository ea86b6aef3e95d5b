-- Every row of a mart that inference is in has a key of its own, and a value or a known reason why not.
{% set comparison = ['study_id', 'slice_id', 'generation_id', 'measure_id', 'calibration', 'grouping_id'] %}
{{ broken_rows_of_marts(
    keys={
        'concentrations': comparison + ['statistic', 'parameters'],
        'contrasts': comparison + ['group_id', 'contrast', 'category', 'reference'],
        'design_power': ['study_id', 'grouping_id', 'measure_id', 'contrast', 'source'],
        'disparities': comparison + ['statistic', 'parameters', 'metric'],
        'findings': [
            'study_id', 'source_mart', 'name', 'slice_id', 'generation_id', 'measure_id', 'calibration',
            'grouping_id', 'group_id', 'category', 'reference', 'statistic', 'parameters'
        ],
        'summary_statistics': comparison + ['group_id', 'statistic', 'parameters'],
    },
    values={'contrasts': 'value', 'disparities': 'value', 'summary_statistics': 'value'},
    reasons={
        'summary_statistics': ['reason', 'inference_reason'],
        'contrasts': ['reason', 'inference_reason'],
        'disparities': ['reason', 'inference_reason'],
    },
) }}
