-- Key thresholds for bias levels: how many numbers lie in each band, and what the verdicts say of them
-- Source: FAIR-SEA, Key Thresholds for Bias Levels
-- Needs: a measure with labels, or analysis: contrasts: [dbi]
with thresholds (metric, fair, bias) as (
    values ('cramers_v', 0.10, 0.30), ('fdi', 0.15, 0.25), ('fdi_group', 0.15, 0.25), ('dbi', 1.5, 2.0),
        ('idi', 0.20, 0.35), ('jsd_truth_unweighted', 0.10, 0.25), ('jsd_truth_weighted', 0.10, 0.25),
        ('jsd_truth_marginal', 0.10, 0.25), ('jsd_truth_by_group', 0.10, 0.25), ('jsd_truth_group', 0.10, 0.25)
),

numbers as (
    select metric, band, verdict
    from disparities
    where study_id = $study and grouping_id <> 'negative_control' and calibration = 'raw' and value is not null
    union all
    select contrast, band, verdict
    from contrasts
    where study_id = $study and grouping_id <> 'negative_control' and calibration = 'raw' and value is not null
)

select metric, cast(fair as double) as fair_up_to, cast(bias as double) as bias_from, band, count(*) as n_numbers,
    count(*) filter (where verdict = 'beyond_margin') as n_verdict_beyond_margin,
    count(*) filter (where verdict = 'different') as n_verdict_different,
    count(*) filter (where verdict = 'equivalent') as n_verdict_equivalent,
    count(*) filter (where verdict = 'inconclusive') as n_verdict_inconclusive,
    count(*) filter (where verdict is null or verdict = 'not_tested') as n_without_verdict
from numbers
inner join thresholds using (metric)
where band is not null
group by metric, fair, bias, band
order by metric, list_position(['green', 'yellow', 'red'], band)
