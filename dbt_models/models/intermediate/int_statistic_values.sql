-- One row per (comparison_position, group_position, statistic, parameters): what the values of a group give, of every
-- statistic that a study asks for and that is no share of selected values (int_cell_sums). A statistic that is
-- normalised afterwards stands here as it is. NULL where it is undefined, or not finite.
{{ statistics_of(
    values='int_grouped_values',
    keys=['comparison_position', 'group_position', 'scale'],
    asked=asked_statistics(),
    plain='true',
    paired='baseline is not null',
) }}
