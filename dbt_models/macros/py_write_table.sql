{# A model in Python gives a relation of DuckDB, which becomes the table as it stands. dbt-duckdb's own way, which this
   overrides, asks first whether it is one of pyarrow: importing that takes .15 s of each call of dbt. #}
{% macro py_write_table(temporary, relation, compiled_code, partitioned_by=none, sorted_by=none) -%}
{{ compiled_code }}

def materialize(df, con):
    df.create('{{ relation }}')
{%- endmacro %}
