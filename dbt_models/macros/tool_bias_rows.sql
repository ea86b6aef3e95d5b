{# Rows whose difference is shown because the tool's is. Calibrated ones where the raw row's is not shown and the
   baseline's is (the other way round, where the sign tells): subtracting the baseline put the tool's bias into the
   result. And raw ones of statistics that compare with the baseline, where the baseline's means differ and those of the
   generation do not. keys: of the mart, less study, generation and calibration. tool_keys: those that the baseline's
   row shares. statistic: of a row of the mart, as an expression. #}
{% macro tool_bias_rows(mart, keys, tool_keys, signed, statistic) -%}
    select calibrated.study_id, calibrated.generation_id, calibrated.calibration, {% for key in keys %}calibrated.{{ key }}{{ ', ' if not loop.last }}{% endfor %}
    from {{ mart }} as calibrated
    inner join {{ mart }} as uncalibrated using (study_id, generation_id, {{ keys | join(', ') }})
    where
        calibrated.calibration = 'calibrated'
        and uncalibrated.calibration = 'raw'
        and calibrated.verdict in ('bias_shown', 'difference_shown')
        and coalesce(uncalibrated.verdict, '') not in ('bias_shown', 'difference_shown')
        and exists (
            select 1
            from {{ mart }} as tool
            inner join generations using (study_id, generation_id)
            where
                generations.is_baseline
                and tool.calibration = 'raw'
                and tool.verdict in ('bias_shown', 'difference_shown')
                and tool.study_id = calibrated.study_id
                {% for key in tool_keys %}
                and tool.{{ key }} = calibrated.{{ key }}
                {% endfor %}
                {% if signed %}
                and sign(tool.value) = -sign(calibrated.value)
                {% endif %}
        )
    union all
    select paired.study_id, paired.generation_id, paired.calibration, {% for key in keys %}paired.{{ key }}{{ ', ' if not loop.last }}{% endfor %}
    from (select *, {{ statistic }} as own_statistic from {{ mart }}) as paired
    inner join (select distinct study_id, statistic from statistics where is_paired) as requested
        on paired.study_id = requested.study_id
        and paired.own_statistic = requested.statistic
    where
        paired.calibration = 'raw'
        and paired.verdict in ('bias_shown', 'difference_shown')
        and exists ({{ shown_means(mart, statistic) }} and generations.is_baseline)
        and not exists ({{ shown_means(mart, statistic) }} and generations.generation_id = paired.generation_id)
{%- endmacro %}

{# The shown differences of raw means on the measure, slice and grouping of a paired row; to be continued with whose. #}
{% macro shown_means(mart, statistic) -%}
    select 1
    from (select *, {{ statistic }} as own_statistic from {{ mart }}) as means
    inner join generations using (study_id, generation_id)
    where
        means.calibration = 'raw'
        and means.own_statistic = 'mean'
        and means.verdict in ('bias_shown', 'difference_shown')
        and means.study_id = paired.study_id
        and means.measure_id = paired.measure_id
        and means.slice_id = paired.slice_id
        and means.grouping_id = paired.grouping_id
{%- endmacro %}
