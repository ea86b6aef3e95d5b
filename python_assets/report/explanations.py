"""What each number is, in one line that a reader without statistics understands.

Belongs here: contrasts, indices and statistics by name. Sentences about findings are sentences.py; what can
be done where a question could not be tested stands in seeds/reasons.csv. A test holds the lists against
seeds/metrics.csv and the statistics of a study file.
"""

from typing import Final

STATISTIC_MEANINGS: Final[dict[str, str]] = {
    "mean": "the average of a group's answers",
    "share": "how often each label is given, of all answers of a group",
    "selection_rate": "the share of a group's answers that reach a chosen standard",
    "precision": "the share of a group's answers that stay near the baseline of their prompt",
    "median": "the middle answer of a group: half of the answers lie below it",
    "mode": "the most frequent answer of a group",
    "variance": "how far the answers of a group scatter around their average, squared",
    "standard_deviation": "how far the answers of a group typically lie from their average",
    "skewness": "whether a group has a few very high (positive) or very low (negative) answers",
    "kurtosis": "whether a group has more extreme answers than a bell curve, which has 0",
    "range": "the distance between the lowest and the highest answer of a group",
    "quantile": "the value that a chosen share of a group's answers lies below",
    "percentile": "the value that a chosen percentage of a group's answers lies below",
    "quantile_range": "the distance between two quantiles of a group's answers",
    "percentile_range": "the distance between two percentiles of a group's answers",
    "correlation": "how closely answers follow the baselines of their prompts, from -1 to 1",
    "kl_divergence": "how unlike its baselines the answers of a group are spread; 0 is alike",
}
CONTRASTS: Final[dict[str, str]] = {
    "mean_difference": "how far the average of a group lies above or below that of the others",
    "risk_difference": "how many more of 100 answers have the property in a group than in the others",
    "log_disparity": "the same on the scale of log odds, where 0 is no difference",
    "log_disparity_haldane": "log odds that can be told even where nobody or everybody has the property",
    "dbi": "how far a group lies from all, in typical distances of single answers from their average",
    "interaction": "how far a group of several factors lies above or below what those factors alone make of it",
    "fdi_group": "the share of a group's labels that would have to change to match those of all groups",
    "jsd_group": "how unlike those of all groups the labels of a group are; 0 is alike, 0.69 the most",
    "jsd_truth_group": "how unlike its real ones the labels of a group are; 0 is alike, 0.69 the most",
    "selection_rate_difference": "how many more of 100 answers reach the standard than in the others",
    "precision_difference": "how many more of 100 answers stay near the baseline than in the others",
} | {
    f"{name}_difference": f"{line}; less the average of that of the other groups"
    for name, line in STATISTIC_MEANINGS.items()
    if name not in ("mean", "share", "selection_rate", "precision")
}
DISPARITIES: Final[dict[str, str]] = {
    "range": "the distance between the lowest and the highest group",
    "impact_ratio": "the lowest rate divided by the highest; under 0.8 is commonly read as adverse impact",
    "standard_deviation": "how far groups typically lie from their common average",
    "max_z": "how far the highest group lies above the average of groups, in typical distances",
    "max_abs_z": "how far the most unusual group lies from the average of groups, in typical distances",
    "min_max_ratio": "the lowest group divided by the highest; 1 is alike",
    "four_fifths": "whether the lowest rate is under four fifths of the highest; 1 is yes",
    "impact_ratio_below_four_fifths": "how likely the lowest rate is under four fifths of the highest",
    "fdi": "the share of labels that would have to change for a group to match all, averaged over groups",
    "fdi_max": "the same of the group that differs most",
    "idi": "the same averaged over groups by every factor at once",
    "cramers_v": "how closely label and group go together, from 0 (not at all) to 1 (one tells the other)",
    "cramers_v_bergsma": "the same, less what chance alone gives",
    "jsd": "how different the labels of a group are from those of all, averaged over groups; 0 is alike",
    "jsd_max": "the same of the group that differs most",
    "jsd_between_groups": "how different the labels of all groups are from each other; 0 is alike",
    "jsd_truth_weighted": "how unlike the real ones the shares of groups in a label are, over answers",
    "jsd_truth_unweighted": "the same over labels, however often each is given",
    "jsd_truth_marginal": "how unlike the real ones the labels of all answers are; 0 is alike",
    "jsd_truth_by_group": "how unlike the real ones the labels of a group are, averaged over groups",
    "max": "the highest group",
    "min": "the lowest group",
    "mean": "the average over groups",
    "dixon_low": "how far the lowest group lies apart from the next one, as a share of the whole range",
    "dixon_high": "how far the highest group lies apart from the next one, as a share of the whole range",
    "dixon_excess_low": "by how much that of the lowest group exceeds what is usual; above 0 it stands out",
    "dixon_excess_high": "by how much that of the highest group exceeds what is usual; above 0 it stands out",
}
"""In the order in which every page lists them."""
