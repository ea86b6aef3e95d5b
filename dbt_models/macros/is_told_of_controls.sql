{# Whether a row is told: of negative controls that several slices share, inference has the rows of the first slice alone.

    inference: a relation of the inference's rows of the same table.
    parameters: of the statistic, as both call it.
#}
{% macro is_told_of_controls(inference, parameters='parameters') -%}
    {% set key = 'study_id, system_id, measure_id, calibration, statistic, ' ~ parameters -%}
    {% set of_controls = 'from ' ~ inference ~ " where grouping_id = 'negative_control'" -%}
    not (
        {{ is_of_controls() }}
        and ({{ key }}) in (select {{ key }} {{ of_controls }})
        and (slice_id, {{ key }}) not in (select slice_id, {{ key }} {{ of_controls }})
    )
{%- endmacro %}
