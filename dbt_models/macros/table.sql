{# A table is made in place, in one transaction: what was there stays where it fails. dbt-duckdb's own way, a second table
   that is renamed over the first, which is kept and dropped, takes four statements more a model. No table here has
   grants or indexes. #}
{% materialization table, adapter='duckdb', supported_languages=['sql', 'python'] %}
    {%- set relation = this.incorporate(type='table') -%}
    {{ run_hooks(pre_hooks) }}
    {% call statement('drop', auto_begin=True) -%}
        drop {{ (load_cached_relation(this) or relation).type }} if exists {{ relation }}
    {%- endcall %}
    {% call statement('main', language=model['language']) -%}
        {{ create_table_as(False, relation, compiled_code, model['language']) }}
    {%- endcall %}
    {% do persist_docs(relation, model) %}
    {{ run_hooks(post_hooks) }}
    {{ adapter.commit() }}
    {{ return({'relations': [relation]}) }}
{% endmaterialization %}
