{# The model behind a row of raw.systems: several generations, such as roles, may be of one; a generation that names
   none is one of its own. #}
{% macro model_name() -%}
    coalesce(nullif(systems.model, ''), systems.system_id)
{%- endmacro %}
