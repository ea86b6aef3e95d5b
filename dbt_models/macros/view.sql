{# A view is made in place, like a table (table.sql): dbt's own way, a second view that is renamed over the first, takes
   four statements more a model. One that is declared as in the template of a run is there already. #}
{% materialization view, adapter='duckdb' %}
    {%- set relation = this.incorporate(type='view') -%}
    {{ run_hooks(pre_hooks) }}
    {% if model['unique_id'] in var('declared', []) %}
    {% call statement('main') -%}
        select 1
    {%- endcall %}
    {% else %}
    {% call statement('drop', auto_begin=True) -%}
        drop {{ (load_cached_relation(this) or relation).type }} if exists {{ relation }}
    {%- endcall %}
    {% call statement('main') -%}
        {{ get_create_view_as_sql(relation, sql) }}
    {%- endcall %}
    {% do persist_docs(relation, model) %}
    {% endif %}
    {{ run_hooks(post_hooks) }}
    {{ adapter.commit() }}
    {{ return({'relations': [relation]}) }}
{% endmaterialization %}
