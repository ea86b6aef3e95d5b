{# The number that a measurement is for an outcome, NULL where it is missing. Needs the columns kind, calibration and
   category of int_outcomes and value, baseline_value and label of raw.measurements. #}
{% macro outcome_value() -%}
    case
        when kind = 'categorical' then cast(cast(label = category as integer) as double)
        when calibration = 'calibrated' then value - baseline_value
        else value
    end
{%- endmacro %}
