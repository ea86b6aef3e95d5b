{# What a value is held against to be selected: name -> aggregate over x, all rows of one slice, generation, measure
   and calibration. `fixed` is the number that the study declares. #}
{% macro selection_standards() %}
{{ return({'mean': 'avg(x)', 'fixed': 'max(standard_value)'}) }}
{% endmacro %}
