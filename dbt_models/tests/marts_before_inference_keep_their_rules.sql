-- Every row of a mart has a key of its own, and a value or a known reason why not.
{{ broken_rows_of_marts(
    keys={
        'cluster_precision': ['study_id', 'measure_id', 'segment', 'cluster_position', 'generation_id'],
        'clusters': ['study_id', 'measure_id', 'segment', 'cluster_position'],
        'coverage': ['study_id', 'factors'],
        'coverage_cells': ['study_id', 'factors', 'group_id'],
        'factors': ['study_id', 'factor'],
        'keywords': ['study_id', 'level', 'keyword'],
        'outcome_distributions': [
            'study_id', 'slice_id', 'generation_id', 'measure_id', 'grouping_id', 'group_id', 'category'
        ],
    },
    values={'cluster_precision': 'precision'},
    reasons={'cluster_precision': ['reason'], 'measurements': ['reason']},
) }}
