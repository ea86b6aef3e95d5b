{# A model as a view reads it: without the name of the database, which is another where a published file is made of it. #}
{% macro of_this_file(name) -%}
    {{ return(ref(name).include(database=false)) }}
{%- endmacro %}
