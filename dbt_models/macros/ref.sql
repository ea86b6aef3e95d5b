{# A model without the name of the database: that is the name of the file, and a view keeps it when the file is renamed. #}
{% macro ref() -%}
    {{ return(builtins.ref(*varargs, **kwargs).include(database=false)) }}
{%- endmacro %}
