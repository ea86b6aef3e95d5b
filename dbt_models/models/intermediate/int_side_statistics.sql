-- One row per (comparison_position, group_position, is_own, statistic, parameters): every statistic of both sides of
-- int_statistic_sides whose difference the study asks for.
{{ statistics_of(
    values='int_statistic_sides',
    keys=['comparison_position', 'group_position', 'is_own'],
    asked=asked_statistics(with_contrast=true),
    plain='not is_paired',
    paired='is_paired',
) }}
