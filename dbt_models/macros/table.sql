{# A table is made in place, in one transaction: what was there stays where it fails. dbt-duckdb's own way, a second table
   that is renamed over the first, which is kept and dropped, takes four statements more a model. No table here has
   grants or indexes. Where a run says that the table is declared as in its template, whose contract dbt has checked and
   whose columns it has described, only its rows are replaced (dagster_project/template.py). docs/performance.md has what
   both save. #}
{% materialization table, adapter='duckdb', supported_languages=['sql', 'python'] %}
    {%- set relation = this.incorporate(type='table') -%}
    {{ run_hooks(pre_hooks) }}
    {% if model['language'] == 'sql' and model['unique_id'] in var('declared', []) %}
    {% call statement('delete', auto_begin=True) -%}
        delete from {{ relation }}
    {%- endcall %}
    {% call statement('main') -%}
        insert into {{ relation }} by name
        {{ compiled_code }}
    {%- endcall %}
    {% else %}
    {% call statement('drop', auto_begin=True) -%}
        drop {{ (load_cached_relation(this) or relation).type }} if exists {{ relation }}
    {%- endcall %}
    {% call statement('main', language=model['language']) -%}
        {{ create_table_as(False, relation, compiled_code, model['language']) }}
    {%- endcall %}
    {% do persist_docs(relation, model) %}
    {% endif %}
    {{ run_hooks(post_hooks) }}
    {{ adapter.commit() }}
    {{ return({'relations': [relation]}) }}
{% endmaterialization %}
