{# Green, yellow or red of a value by the seed bands, NULL where its metric has none. The edges belong to yellow; where
   lower is worse, to the better side, and rounding takes nothing over them. #}
{% macro band(value) -%}
    case
        when {{ value }} is null or bands.metric is null then null
        when bands.direction = 'lower_worse' and {{ value }} >= bands.edge_green - 1e-12 then 'green'
        when bands.direction = 'lower_worse' and {{ value }} >= bands.edge_red - 1e-12 then 'yellow'
        when bands.direction = 'lower_worse' then 'red'
        when bands.direction = 'absolute' and abs({{ value }}) < bands.edge_green then 'green'
        when bands.direction = 'absolute' and abs({{ value }}) <= bands.edge_red then 'yellow'
        when bands.direction = 'higher_worse' and {{ value }} < bands.edge_green then 'green'
        when bands.direction = 'higher_worse' and {{ value }} <= bands.edge_red then 'yellow'
        else 'red'
    end
{%- endmacro %}
