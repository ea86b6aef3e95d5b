"""Labels of a taxonomy step by step; the exact step on real answers, against labels of another program."""

import os

import duckdb
import pytest

DATA = os.environ.get("PLUMBLINE_DATA")
SECTORS = {"Retail Trade": ["shops"], "Wholesale Trade": [], "Education": ["schools", "teaching"]}


def measure(**taxonomy):
    return {"name": "sector", "taxonomy": {"labels": SECTORS, **taxonomy}}


def read(build, make_study, texts, **taxonomy):
    build.prompts(**{f"p{n:03}": None for n in range(len(texts))})
    build.responses(*((f"p{n:03}", text) for n, text in enumerate(texts)))
    build.extract(make_study(measure(**taxonomy)))
    return build.rows("sector", "label", "label_method", "reason")


def test_the_first_step_that_finds_a_label_decides(build, make_study):
    texts = [
        "retail trade",
        "I would say: Retail Trade.",
        "Schools",
        "university lecturing and education of students",  # its own name stands in it
        "A university that trains teachers",
        "Astronomy of distant galaxies",
        "Retail Trade or Wholesale Trade",
    ]
    assert read(build, make_study, texts, least_similarity=0.4) == [
        ("Retail Trade", "exact", None),
        ("Retail Trade", "exact", None),
        ("Education", "synonyms", None),
        ("Education", "exact", None),
        ("Education", "embedding", None),
        (None, None, "no_label_near"),
        (None, None, "several_rules_matched"),
    ]
    assert [value for (value,) in build.rows("sector_unscored", "value")] == [0, 0, 0, 0, 0, 1, 1]


def test_a_step_that_is_left_out_is_not_taken(build, make_study):
    texts = ["Retail Trade", "Schools", "A university that trains teachers"]
    assert read(build, make_study, texts, steps=["exact"]) == [
        ("Retail Trade", "exact", None),
        (None, None, "no_rule_matched"),
        (None, None, "no_rule_matched"),
    ]


def test_only_the_embedding_step_names_a_model(build, make_study):
    read(build, make_study, ["Retail Trade"], steps=["exact", "synonyms"])
    query = "select model from raw.measures where measure_id = 'sector'"
    assert build.connection.execute(query).fetchone() == (None,)
    read(build, make_study, ["Retail Trade"])
    assert build.connection.execute(query).fetchone() == ("all-MiniLM-L6-v2",)


@pytest.mark.parametrize(
    ("category", "labels", "n_added"), [("I1", "fair_sea_occupations", 8), ("I2", "fair_sea_industries", 5)]
)
def test_the_exact_step_is_the_reference_and_the_others_add_to_it(build, make_study, category, labels, n_added):
    if DATA is None:
        pytest.skip("PLUMBLINE_DATA is not set: it holds the answers of FAIR-SEA")
    rows = duckdb.sql(
        f"select distinct llm_output, category from '{DATA}/fairsea/fairsea_responses.parquet' "
        f"where prompt_category = '{category}' order by llm_output"
    ).fetchall()
    texts = [text for text, _ in rows]
    exact = [label for label, *_ in read(build, make_study, texts, labels=labels, steps=["exact"])]
    assert [label and label.lower() for label in exact] == [reference for _, reference in rows]
    whole = [label for label, *_ in read(build, make_study, texts, labels=labels)]
    changed = [before for before, after in zip(exact, whole, strict=True) if before != after]
    assert changed == [None] * n_added
