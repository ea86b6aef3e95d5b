{# Calibrated rows whose difference is shown, whose raw row's is not, and whose baseline's is (the other way round, where
   the sign tells): subtracting the baseline put the tool's bias into the result. keys: of the mart, less study,
   generation and calibration. tool_keys: those that the baseline's row shares. #}
{% macro tool_bias_rows(mart, keys, tool_keys, signed) -%}
    select calibrated.study_id, calibrated.generation_id, {% for key in keys %}calibrated.{{ key }}{{ ', ' if not loop.last }}{% endfor %}
    from {{ mart }} as calibrated
    inner join {{ mart }} as uncalibrated
        on calibrated.study_id = uncalibrated.study_id
        and calibrated.generation_id = uncalibrated.generation_id
        {% for key in keys %}
        and calibrated.{{ key }} = uncalibrated.{{ key }}
        {% endfor %}
    where
        calibrated.calibration = 'calibrated'
        and uncalibrated.calibration = 'raw'
        and calibrated.verdict in ('bias_shown', 'difference_shown')
        and coalesce(uncalibrated.verdict, '') not in ('bias_shown', 'difference_shown')
        and exists (
            select 1
            from {{ mart }} as tool
            inner join generations
                on tool.study_id = generations.study_id
                and tool.generation_id = generations.generation_id
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
{%- endmacro %}
