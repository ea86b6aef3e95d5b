{# Whether a row of the document's table of actions is about an effect of this size. #}
{% macro is_effect(actions) -%}
    effects.effect_name = 'cramers_v'
    and (effects.effect > {{ actions }}.effect_above or {{ actions }}.effect_above is null)
    and (effects.effect < {{ actions }}.effect_below or {{ actions }}.effect_below is null)
{%- endmacro %}
