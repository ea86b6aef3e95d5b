{# A text of prompts or responses where a table is for reading: hidden where the study hides its texts, as in its report
   (python_assets/published/hidden_texts.py); one that is not there stays NULL and a blank one as it is. #}
{% macro shown_text(text, config_json) -%}
    case
        when json_extract_string({{ config_json }}, '$.report.hide_texts') = 'true' and trim({{ text }}) <> ''
        then '(hidden)'
        else {{ text }}
    end
{%- endmacro %}
