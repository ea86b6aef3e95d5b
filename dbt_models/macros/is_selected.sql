{# Whether x lies where a standard selects; near_baseline: whether it is within the standard of its baseline, NULL without
   one. The relative tolerance of 1e-12 lets >= select a constant column, whose mean may differ from it in the last bit;
   the edges of bins have their own. selection: with method, bound_low and bound_high. Source: SAGED 4.1. #}
{% macro is_selected(x, baseline, selection) -%}
    {%- set low, high = selection ~ '.bound_low', selection ~ '.bound_high' -%}
    {%- set above = x ~ ' >= ' ~ low ~ ' - 1e-12 * greatest(abs(' ~ x ~ '), abs(' ~ low ~ '))' -%}
    {%- set below = x ~ ' <= ' ~ high ~ ' + 1e-12 * greatest(abs(' ~ x ~ '), abs(' ~ high ~ '))' -%}
    case {{ selection }}.method
        when 'larger' then {{ above }}
        when 'smaller' then {{ below }}
        when 'inside' then {{ above }} and {{ below }}
        when 'inside_bin' then {{ x }} >= {{ low }} and {{ x }} < {{ high }}
        when 'near_baseline'
        then
            abs({{ x }} - {{ baseline }})
            <= {{ low }} + 1e-12 * greatest(abs({{ x }}), abs({{ baseline }}), {{ low }})
    end
{%- endmacro %}
