"""What a check says of controls that are not used, too few, or all equal."""

import numpy as np
import pandas as pd

import plumbline

TYPES = {"car": "colour", "rain": "weather", "day": "weekday", "page": "page"}
N_PROMPTS = 12


def checked(types=TYPES, *, rare=None, equal=False, **options):
    """A check of three groups, the last of which is higher; a control may be answered in a third of the prompts."""
    draws = np.random.default_rng(2)
    rows = [
        (prompt, level, float(draws.normal() + 4 * (level == "c")))
        for prompt in range(N_PROMPTS)
        for level in ["a", "b", "c", *TYPES]
    ]
    frame = pd.DataFrame(rows, columns=["prompt", "words", "value"])
    if equal:
        frame.loc[frame.words.isin(TYPES), "value"] = 5.0
    if rare is not None:
        frame.loc[(frame.words == rare) & (frame.prompt >= N_PROMPTS // 3), "value"] = None
    frame = frame[frame.words.isin(["a", "b", "c", *types])]
    of = {"group": "words", "prompt": "prompt", "value": "value", "negative_controls": types}
    return plumbline.check(frame, **of, **{"quiet": True, **options})


def test_a_control_that_is_left_out_is_told_and_counted_nowhere(tmp_path):
    results = checked(rare="car", report=tmp_path / "page.html")
    unused = "car is not used: it has values in 4 of 12 root prompts, half are needed."
    assert str(results).splitlines()[-1] == f"model, value: {unused}"
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count(unused) == 2, "on page one and on that of the controls"
    told = ("3 control edits", "3 edits that cannot matter", "of 3 controls", "3 quiet controls", "car (not used)")
    for text in told:
        assert text in page
    for wrong in ("4 control edits", "4 edits that cannot matter", "of 4 controls", "the 4 controls"):
        assert wrong not in page


def test_answers_without_a_value_are_those_of_groups(tmp_path):
    checked(report=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "36 of 36 (100 %) scored" in page
    assert "of 48:" not in page


def test_too_few_controls_are_told_before_and_after(capsys):
    results = checked({"car": "colour", "rain": "weather"}, quiet=False)
    first, *_ = capsys.readouterr().err.splitlines()
    assert first.startswith("negative_controls: 2 controls of 2 types change no p, which takes 3 types at least")
    assert any(
        line.startswith("words: one wording a group, not compared with the negative controls: the slice has fewer")
        for line in str(results).splitlines()
    )
    checked({"car": "one", "rain": "one", "day": "one"}, quiet=False)
    assert "3 controls of 1 type change no p" in capsys.readouterr().err
    checked(quiet=False)
    assert "change no p" not in capsys.readouterr().err


def test_controls_that_are_all_equal_are_no_certainty(tmp_path):
    results = checked(equal=True, report=tmp_path / "page.html")
    told = "ll 4 controls have the same value; up to 53 % of such edits could still move it"
    assert f"A{told}." in str(results)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"(4 types); a{told}." in page
    assert "wording sd" not in f"{results}{page}".casefold()
    (row,) = results.sql(
        "select loudest_control, loudest_control_value, wording_sd_high from hypotheses "
        "where grouping_id = 'words' and measure_id = 'value' and statistic = 'mean'"
    ).itertuples()
    assert row.wording_sd_high == 0
    assert pd.isna(row.loudest_control)
    assert pd.isna(row.loudest_control_value)


def test_controls_that_move_nothing_significantly_say_so():
    line = str(checked()).splitlines()[-1]
    assert line.startswith("model: none of the 4 controls moved value significantly (p = ")


def test_plan_prints_the_family_in_words():
    from python_assets.plan.text import _family

    assert _family("negative_control") == "negative control"
    assert _family("of_mine") == "of_mine"
