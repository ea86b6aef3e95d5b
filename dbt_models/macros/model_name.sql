{# The model behind a row of raw.generations: several generations, such as roles, may be of one; a generation that names
   none is one of its own. #}
{% macro model_name() -%}
    coalesce(nullif(generations.model, ''), generations.generation_id)
{%- endmacro %}
