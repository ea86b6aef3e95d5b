{# The code of the unit that differences are averaged over: the root prompt; the block where there are fewer than 5 root
   prompts with something to compare, but 5 such blocks or more, or fewer than 3 but 3 such blocks or more without
   replicates. Source: inference.md 2.6; python_assets/infer/design/design.py chooses alike, and a test compares the two. #}
{% macro unit_position(cells, designs) -%}
    case
        when {{ designs }}.n_root_prompts_compared < 5 and {{ designs }}.n_blocks_compared >= 5
        then {{ cells }}.block_position
        when
            {{ designs }}.n_root_prompts_compared < 3 and {{ designs }}.n_blocks_compared >= 3
            and {{ designs }}.min_responses_compared < 2
        then {{ cells }}.block_position
        else {{ cells }}.root_position
    end
{%- endmacro %}
