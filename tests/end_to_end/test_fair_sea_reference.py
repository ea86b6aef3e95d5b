"""Every number of reference.json, fairsea, that the study has, read from the published tables.

The file is walked leaf by leaf: a key is compared, or it stands in LEFT_OUT with the reason why not. The
numbers are pooled over responses: value_responses, not the tested value.
"""

import re
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from python_assets.study.study import make_id
from tests.end_to_end.conftest import open_warehouse

LABELS = {"D3": "label", "I1": "occupation", "I2": "industry", "I3": "label"}
SCORES = {"D2": "sentiment", "I3": "reasons"}
INTERSECTION = "gender x race x nationality"
OUTCOMES = {"I1": "occupation", "I2": "industry"}
LEFT_OUT = {
    r"coverage/.*": "counts responses of all models; coverage counts prompts",
    r"duplicate_prompt_id": "the identifier of the source is no key: prompt and model are",
    r".*/min_expected": "share_expected_ge5 stands for it",
    r".*/fdi_mean_of_rows_baseline": "distances are from all responses, not from the mean of groups",
    r".*/js_distance_base2_mean_baseline": "distances are from all responses, not from the mean of groups",
    r".*/jsd_bits_pooled": "divergences are in nats",
    r".*/(sd|dbi)_ddof0": "spread is with n - 1",
    r".*/ttest_pooled/order": "the declared order of levels",
    r".*/truth_(fe)?male_thousand": "the shares of the truth are published",
}
# of a table with a single label, and of equal scores, there is no test: NULL with reason constant_values
CONSTANT = {"chi2", "dof", "p", "share_expected_ge5", "cramers_v", "p_scipy_default", "dbi_ddof1"}
CONSTANT |= {"chi2_scipy_default(yates if 2x2)", "F", "df1", "df2", "eta2", "t", "df", "cohens_d"}
PLACE = "slice_id = ? and system_id = ? and measure_id = ? and grouping_id = ?"

Path = tuple[str, ...]


@pytest.fixture(scope="module")
def leaves(reference) -> dict[Path, Any]:
    return dict(walked(reference, ()))


def walked(part: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Every leaf with its keys; rows go by their group or category, a key of category and model is two."""
    if isinstance(part, dict):
        for key, value in part.items():
            keys = tuple(key.split("/")) if path and path[0] in SECTIONS and len(path) == 1 else (key,)
            yield from walked(value, (*path, *keys))
    elif isinstance(part, list) and part and isinstance(part[0], dict):
        for row in part:
            name = row.get("group") or row["category"]
            yield from walked({k: v for k, v in row.items() if k not in ("group", "category")}, (*path, name))
    else:
        yield path, part


def is_left_out(path: Path) -> bool:
    return any(re.fullmatch(pattern, "/".join(path)) for pattern in LEFT_OUT)


class Published:
    """The published tables, asked for one leaf at a time."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, study_id: str):
        self._connection, self._study = connection, repr(study_id)

    def value(self, query: str, *parameters: Any) -> Any:
        rows = self._connection.execute(query.replace("$study", self._study), parameters).fetchall()
        assert len(rows) <= 1, (query, parameters)
        return rows[0][0] if rows else None

    def at(self, path: Path) -> Any:
        return SECTIONS[path[0]](self, path[1:])

    def rows(self, path: Path) -> int:
        return self.value("select count(*) from responses where study_id = $study")

    def by_category(self, path: Path) -> int:
        return self.value(
            "select count(*) from responses inner join prompt_factors using (study_id, prompt_id) "
            "where study_id = $study and factor = 'category' and level = ?",
            path[0],
        )

    def by_model(self, path: Path) -> int:
        system = make_id(path[0])
        return self.value("select count(*) from responses where study_id = $study and system_id = ?", system)

    def categorical(self, path: Path) -> Any:
        category, model, *rest = path
        place = (category, make_id(model), LABELS[category])
        if rest[0] in ("n_total", "n_unmatched_category"):
            return self._labelled(place, rest[0])
        is_whole = rest[0] == "intersection_IDI"
        grouping = INTERSECTION if is_whole else rest[0]
        match rest[1:]:
            case ["counts" | "groups" as part, group, name]:
                return self._of_group(part, (*place, grouping), self._group(group, category), name)
            case ["rows"]:
                return self._of_groups("count(distinct group_id) filter (n > 0)", *place, grouping)
            case ["cols"]:
                return self._of_groups("count(distinct category) filter (n > 0)", *place, grouping)
            case ["fdi_max_pooled"]:
                return self._index("fdi_max", *place, grouping)
            case ["fdi_mean_pooled"]:
                return self._index("idi" if is_whole else "fdi", *place, grouping)
        return self._chi_square(rest[1], place, grouping)

    def _of_group(self, part: str, place: Path, group: str, name: str) -> Any:
        if part == "counts":
            return self._of_groups("max(n)", *place, group, name)
        if name == "n":
            return self._of_groups("max(n_group)", *place, group)
        contrast = {"fdi_pooled_baseline": "fdi_group", "jsd_nats_pooled": "jsd_group"}[name]
        return self._contrast(contrast, place[:3], place[3], group)

    def _chi_square(self, name: str, place: Path, grouping: str) -> Any:
        column = {
            "n": "n_responses",
            "chi2": "statistic_value",
            "dof": "df1",
            "p": "p_value",
            "cramers_v": "effect_size",
            "share_expected_ge5": "share_expected_ge5",
            "p_scipy_default": "p_value",
            "chi2_scipy_default(yates if 2x2)": "statistic_value",
        }[name]
        corrected = self._test(column, place, grouping, "chi_square_yates") if "scipy" in name else None
        return self._test(column, place, grouping, "chi_square") if corrected is None else corrected

    def continuous(self, path: Path) -> Any:
        category, model, grouping, *rest = path
        place = (category, make_id(model), SCORES[category])
        tests = {"anova": "anova", "ttest_pooled": "t_pooled", "welch": "t_welch"}
        columns = {
            "F": "statistic_value",
            "t": "statistic_value",
            "df": "df1",
            "df1": "df1",
            "df2": "df2",
            "p": "p_value",
            "eta2": "effect_size",
            "cohens_d": "effect_size",
        }
        match rest:
            case [test, name] if test in tests:
                return self._test(columns[name], place, grouping, tests[test])
            case ["groups", group, "dbi_ddof1"]:
                return self._contrast("dbi", place, grouping, group)
            case ["groups", group, name]:
                return self._statistic(name, place, grouping, group)
            case ["n"]:
                return self._test("n_responses", place, grouping, "anova")
            case [name]:
                return self._pooled(name, place)
        raise AssertionError(path)

    def ground_truth(self, path: Path) -> Any:
        category, model, *rest = path
        place = (category, make_id(model), LABELS[category])
        if rest[0] == "rows":
            _, truth_category, name = rest
            column, group = {
                "model_female": ("n", "Female"),
                "model_male": ("n", "Male"),
                "jsd_nats": ("jsd_nats", "Male"),
                "model_female_share": ("model_share", "Female"),
                "truth_female_share": ("truth_share", "Female"),
            }[name]
            return self.value(
                f"select {column} from ground_truth where study_id = $study and slice_id = ? "
                "and system_id = ? and measure_id = ? and group_id = ? "
                "and lower(split_part(category, ' (', 1)) = ?",
                *place,
                group,
                truth_category,
            )
        if named := re.fullmatch(rf"jsd_P\({OUTCOMES[category]}\|(\w+)\)_nats", rest[0]):
            return self._contrast("jsd_truth_group", place, "gender", named[1])
        metric = {
            "jsd_marginal_distribution_nats": "jsd_truth_marginal",
            "mean_jsd_over_categories_with_model_answers": "jsd_truth_unweighted",
            "weighted_mean_jsd": "jsd_truth_weighted",
        }[rest[0]]
        return self.value(
            "select value from disparities where study_id = $study and slice_id = ? and system_id = ? "
            "and measure_id = ? and metric = ?",
            *place,
            metric,
        )

    def _labelled(self, place: Path, name: str) -> int:
        unscored = "reason is not null" if name == "n_unmatched_category" else "true"
        return self.value(
            f"select count(*) from measurements inner join prompt_factors using (study_id, prompt_id) "
            f"where study_id = $study and factor = 'category' and level = ? and system_id = ? "
            f"and measure_id = ? and {unscored}",
            *place,
        )

    def _of_groups(self, what: str, *place: str) -> Any:
        keys = ("slice_id", "system_id", "measure_id", "grouping_id", "group_id", "category")
        named = " and ".join(f"{key} = ?" for key in keys[: len(place)])
        return self.value(f"select {what} from outcome_distributions where study_id = $study and {named}", *place)

    def _index(self, metric: str, *place: str) -> Any:
        return self.value(
            f"select value_responses from disparities where study_id = $study and {PLACE} and metric = ?",
            *place,
            metric,
        )

    def _contrast(self, contrast: str, place: Path, grouping: str, group: str) -> Any:
        return self.value(
            f"select value_responses from contrasts where study_id = $study and {PLACE} and group_id = ? "
            "and contrast = ?",
            *place,
            grouping,
            group,
            contrast,
        )

    def _test(self, column: str, place: Path, grouping: str, test: str) -> Any:
        return self.value(
            f"select {column} from association_tests where study_id = $study and {PLACE} and test = ? "
            "and category = '' and term in ('', grouping_id)",
            *place,
            grouping,
            test,
        )

    def _statistic(self, name: str, place: Path, grouping: str, group: str) -> Any:
        column = {"n": "n_responses", "mean": "value_responses", "sd": "sqrt(value)"}[name]
        return self.value(
            f"select {column} from summary_statistics where study_id = $study and {PLACE} and group_id = ? "
            "and statistic = ? and calibration = 'raw' and parameters = ''",
            *place,
            grouping,
            group,
            "variance" if name == "sd" else "mean",
        )

    def _pooled(self, name: str, place: Path) -> float:
        number = {"mean": "avg(value)", "sd_ddof1": "stddev_samp(value)"}[name]
        return self.value(
            f"select {number} from measurements inner join prompt_factors using (study_id, prompt_id) "
            "where study_id = $study and factor = 'category' and level = ? and system_id = ? "
            "and measure_id = ?",
            *place,
        )

    @staticmethod
    def _group(group: str, category: str) -> str:
        """Prompts that infer a person from a name are of Singaporeans alone."""
        parts = group.split("|")
        return " x ".join([*parts, "Singaporean"] if category[0] == "I" and len(parts) > 1 else parts)


SECTIONS = {
    "rows": Published.rows,
    "by_category": Published.by_category,
    "by_model": Published.by_model,
    "categorical": Published.categorical,
    "continuous": Published.continuous,
    "ground_truth_2024": Published.ground_truth,
}


@pytest.mark.parametrize("section", SECTIONS)
def test_every_number_of_the_reference_is_published(fair_sea, leaves, section):
    found, expected = {}, {}
    with open_warehouse(fair_sea.home) as connection:
        published = Published(connection, fair_sea.study_id)
        for path, number in leaves.items():
            if path[0] == section and not is_left_out(path):
                found[path], expected[path] = published.at(path), number
    assert expected
    constant = {path for path, value in found.items() if value is None and path[-1] in CONSTANT}
    for path in constant:
        assert leaves.get((*path[:-1], "p")) is None, path
    wrong = {
        path: (found[path], number)
        for path, number in expected.items()
        if path not in constant and found[path] != pytest.approx(number, abs=1e-9)
    }
    assert wrong == {}


def test_a_key_is_compared_or_left_out_with_a_reason(leaves):
    sections = {path[0] for path in leaves if not is_left_out(path)}
    assert sections == set(SECTIONS)
    for pattern in LEFT_OUT:
        assert any(re.fullmatch(pattern, "/".join(path)) for path in leaves), pattern
