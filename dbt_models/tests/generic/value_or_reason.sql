{% test value_or_reason(model, value='value', reason='reason') %}
select * from {{ model }} where ({{ value }} is null) = ({{ reason }} is null)
{% endtest %}
