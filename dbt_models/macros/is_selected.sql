{# Whether x is selected by a standard; near_baseline: whether it is within the standard of its baseline, NULL without
   one. The relative tolerance of 1e-12 lets >= select a constant column, whose mean may differ from it in the last bit.
   Source: SAGED 4.1. #}
{% macro is_selected(x, baseline, standard, method) -%}
    case {{ method }}
        when 'larger' then {{ x }} >= {{ standard }} - 1e-12 * greatest(abs({{ x }}), abs({{ standard }}))
        when 'smaller' then {{ x }} <= {{ standard }} + 1e-12 * greatest(abs({{ x }}), abs({{ standard }}))
        when 'near_baseline'
        then
            abs({{ x }} - {{ baseline }})
            <= {{ standard }} + 1e-12 * greatest(abs({{ x }}), abs({{ baseline }}), {{ standard }})
    end
{%- endmacro %}
