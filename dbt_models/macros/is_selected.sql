{# Whether x is selected by a standard. The relative tolerance of 1e-12 lets >= select a constant column, whose mean
   may differ from it in the last bit. Source: SAGED 4.1. #}
{% macro is_selected(x, standard, method) -%}
    case {{ method }}
        when 'larger' then {{ x }} >= {{ standard }} - 1e-12 * greatest(abs({{ x }}), abs({{ standard }}))
        when 'smaller' then {{ x }} <= {{ standard }} + 1e-12 * greatest(abs({{ x }}), abs({{ standard }}))
    end
{%- endmacro %}
