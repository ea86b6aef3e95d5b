-- What do the tests of FAIR-SEA's document say, and what does the document advise?
select association_tests.measure_id, association_tests.test, association_tests.statistic_value,
    association_tests.p_value, p_value_permutation, interpretations.band, interpretations.action,
    interpretations.document_action, interpretations.sentence
from association_tests
left join interpretations using (study_id, slice_id, system_id, measure_id, grouping_id)
where study_id = 'g20_demo'
order by association_tests.measure_id, association_tests.test
