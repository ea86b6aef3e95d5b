{# What a contrast is of, in words. #}
{% macro contrast_quantity() -%}
    case
        when contrasts.contrast in ('mean_difference', 'dbi') then ''
        when contrasts.contrast in ('fdi_group', 'jsd_group') then 'distribution of '
        when contrasts.contrast like 'log%' then 'log odds of '
        when contrasts.contrast = 'risk_difference' and contrasts.category <> '' then 'share of '
        when contrasts.contrast = 'risk_difference' then 'rate of '
        else replace(replace(contrasts.contrast, '_difference', ''), '_', ' ') || ' of '
    end
    || case when contrasts.calibration = 'calibrated' then 'calibrated ' else '' end
    || case when contrasts.category = '' then '' else '"' || contrasts.category || '" in ' end
    || contrasts.measure_id
{%- endmacro %}

{# What a group is compared with, in words. #}
{% macro contrast_others() -%}
    case when contrasts.contrast like 'log%' then 'those' else 'that' end
    || ' of '
    || case
        when contrasts.reference = 'grand_mean' then 'all groups'
        when contrasts.reference = 'rest' and metrics.compared_with = 'rest' then 'the other groups on average'
        when contrasts.reference = 'rest' then 'the rest'
        else contrasts.reference
    end
{%- endmacro %}

{# How far the labels of a group lie from those of all, in words. #}
{% macro contrast_distance() -%}
    case
        when contrast = 'jsd_group' then ' diverges by ' || {{ three_digits('value') }} || ' nats from '
        else ' is ' || {{ three_digits('value') }} || ' apart from '
    end
{%- endmacro %}
