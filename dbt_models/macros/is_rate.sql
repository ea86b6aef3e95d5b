{# Which profiles are of a rate: a selection rate, or the mean of a binary measure. Afterwards normalised ones are no
   rates any more. #}
{% macro is_rate() -%}
    ((statistic = 'selection_rate' and normalise <> 'after') or (statistic = 'mean' and kind = 'binary' and normalise = ''))
{%- endmacro %}
