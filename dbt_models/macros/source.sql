{# A raw table without the name of the database, as in ref.sql. #}
{% macro source() -%}
    {{ return(builtins.source(*varargs).include(database=false)) }}
{%- endmacro %}
