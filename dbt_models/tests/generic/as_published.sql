{# What was imported gives the numbers that its logs publish. #}
{% test as_published(model) %}
select study_id, log, scorer, reducer, metric, value_published, value_recomputed
from {{ model }}
where status = 'different'
{% endtest %}
