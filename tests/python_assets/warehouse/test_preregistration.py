import json
from datetime import datetime, timedelta

import pytest

from python_assets import cli
from python_assets.errors import StudyError, WarehouseError
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home, utc_now
from python_assets.warehouse.chain import line_of, preregistration_entry, read_chain, sha256_of
from python_assets.warehouse.lines import TIME
from python_assets.warehouse.preregistration import analysis_of, analysis_sha256, preregister, preregistered_at
from python_assets.warehouse.study_row import record_study

BASE = {
    "factors": "{gender: {levels: [woman, man], reference: man}, race: {levels: [a, b]}}",
    "prompts": '{templates: {cross: [gender, race], texts: [{id: t1, text: "A {gender} {race} asks."}]}}',
    "systems": "[{name: fair, provider: simulator}]",
    "measures": "[sentiment]",
    "groupings": "[gender]",
    "analysis": "{alpha: 0.05}",
}
CHANGES = {
    "alpha": {"analysis": "{alpha: 0.1}"},
    "permutations": {"analysis": "{permutations: 999}"},
    "margins": {"analysis": "{margins: {mean_difference: 0.1}}"},
    "primary": {"analysis": "{primary: {measures: [sentiment]}}"},
    "sets": {"analysis": "{families: {words: {measures: [sentiment]}}}"},
    "statistics": {"analysis": "{statistics: [mean]}"},
    "contrasts": {"analysis": "{contrasts: [dbi]}"},
    "reference": {"analysis": "{reference: all_pairs}"},
    "measures": {"measures": '[sentiment, {name: answer, choices: ["yes", "no"]}]'},
    "groupings": {"groupings": "[gender, race]"},
    "slices": {"slices": "{each: race}"},
    "negative controls": {"negative_controls": "{edits: [{name: day, type: day, text: Received on a Tuesday.}]}"},
}
SAME = {
    "a comment": {"measures": "[sentiment]  # of the text"},
    "a default that is written out": {"analysis": "{alpha: 0.05, permutations: 9999, margins: {dbi: 1.5}}"},
    "a generation": {"systems": "[{name: fair, provider: simulator}, {name: far, provider: simulator}]"},
    "a title": {"title": "Other"},
    "a prompt": {"prompts": '{templates: {cross: [gender, race], texts: [{id: t2, text: "{gender} {race}?"}]}}'},
}


@pytest.fixture
def study_of(write_study):
    """Load the study of the base sections with these in place of some."""
    return lambda **changes: load_study(write_study(BASE | changes))


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_what_is_analysed_changes_the_hash(study_of, changes):
    assert analysis_sha256(study_of(**changes)) != analysis_sha256(study_of())


@pytest.mark.parametrize("changes", SAME.values(), ids=SAME)
def test_what_is_asked_of_whom_does_not(study_of, changes):
    assert analysis_sha256(study_of(**changes)) == analysis_sha256(study_of())


@pytest.mark.parametrize("changed", ["name: date", "type: time", "text: Received on a Friday.", "place: start"])
def test_an_edit_that_is_changed_is_another_analysis(study_of, changed):
    edit = {"name": "name: day", "type": "type: day", "text": "text: Received on a Tuesday.", "place": "place: end"}
    key = changed.partition(":")[0]
    before, after = (
        study_of(negative_controls=f"{{edits: [{{{', '.join(one.values())}}}]}}")
        for one in (edit, edit | {key: changed})
    )
    assert analysis_sha256(before) != analysis_sha256(after)
    assert analysis_of(before)["negative_controls"]["edits"][0]["text"] == "Received on a Tuesday."


def test_what_a_function_that_is_a_statistic_says_is_part_of_the_analysis(study_of, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def top(values):\n    return values[-1]\n", encoding="utf-8")
    study = study_of(analysis='{custom_statistics: {top: "mine:top"}}')
    before = analysis_sha256(study)
    assert analysis_sha256(study) == before
    file.write_text("def top(values):\n    return values[-2]\n", encoding="utf-8")
    assert analysis_sha256(study) != before
    file.unlink()
    with pytest.raises(StudyError, match="put mine.py back"):
        analysis_sha256(study)


def test_the_reference_level_of_a_factor_is_part_of_the_analysis_where_it_is_compared_with(study_of):
    other = BASE["factors"].replace("reference: man", "reference: woman")
    assert analysis_sha256(study_of(factors=other)) == analysis_sha256(study_of())
    levels = {"analysis": "{reference: reference_level}"}
    assert analysis_sha256(study_of(factors=other, **levels)) != analysis_sha256(study_of(**levels))


def test_an_analysis_that_was_never_preregistered_has_no_time(study_of, home):
    assert preregistered_at(study_of(), home) is None


def test_freezing_again_keeps_the_first_time(study_of, home):
    first = preregister(study_of(), home)
    again = preregister(study_of(title="Other"), home)
    assert (first.is_new, again.is_new) == (True, False)
    assert first.preregistered_at == again.preregistered_at == preregistered_at(study_of(), home)
    assert abs(first.preregistered_at - utc_now()) < timedelta(minutes=5)
    assert len(home.preregistrations("mine").read_text().splitlines()) == 1


def test_each_analysis_keeps_its_own_time(study_of, home):
    first = preregister(study_of(), home).preregistered_at
    other = study_of(analysis="{alpha: 0.1}")
    assert preregistered_at(other, home) is None
    assert preregister(other, home).preregistered_at >= first
    assert preregistered_at(study_of(), home) == first


def test_the_earliest_of_several_times_counts(study_of, home):
    study = study_of()
    write_preregistrations(home, *(of_before(study, month) for month in (3, 2)))
    assert preregistered_at(study, home) == datetime(2026, 2, 1)


def of_before(study, month):
    """A freeze as it was written before there was a chain."""
    at = f"2026-{month:02}-01T00:00:00.000000Z"
    return {"analysis_sha256": analysis_sha256(study), "preregistered_at": at, "analysis": analysis_of(study)}


def write_preregistrations(home, *records):
    home.preregistrations("mine").parent.mkdir(parents=True, exist_ok=True)
    home.preregistrations("mine").write_text("".join(f"{json.dumps(record)}\n" for record in records))


def records_in(home):
    return [json.loads(line) for line in home.preregistrations("mine").read_text().splitlines()]


def test_a_preregistration_of_before_the_chain_counts_by_its_own_word_and_is_chained_as_of_now(study_of, home):
    write_preregistrations(home, of_before(study_of(), 2))
    preregister(study_of(analysis="{alpha: 0.1}"), home)
    first, second = read_chain(home)
    assert (first.entry.is_earlier, second.entry.is_earlier) == (True, False)
    assert first.at > "2026-11"
    assert preregistered_at(study_of(), home) == datetime(2026, 2, 1)


def test_a_preregistration_that_is_back_dated_beside_the_chain_counts_for_nothing(study_of, home):
    other = study_of(analysis="{alpha: 0.1}")
    preregister(other, home)
    write_preregistrations(home, *records_in(home), of_before(study_of(), 2))
    assert preregistered_at(study_of(), home) is None
    preregistered = preregister(study_of(), home)
    assert (
        preregistered.is_new
        and preregistered.preregistered_at.year == utc_now().year
        and preregistered.preregistered_at.month > 2
    )


@pytest.mark.parametrize("changed", ["the time", "the analysis", "the hash too", "a line that is gone"])
def test_a_preregistration_that_was_changed_is_no_preregistration(study_of, home, changed):
    preregister(study_of(), home)
    (record,) = records_in(home)
    if changed == "the time":
        record["preregistered_at"] = "2026-01-01T00:00:00.000000Z"
    elif changed != "a line that is gone":
        record["analysis"]["analysis"]["alpha"] = 0.1
    if changed == "the hash too":
        record["analysis_sha256"] = sha256_of(record["analysis"])
    write_preregistrations(home, *([] if changed == "a line that is gone" else [record]))
    for study in (study_of(), study_of(analysis="{alpha: 0.1}")):
        with pytest.raises(WarehouseError, match="plumbline verify tells every fault"):
            preregistered_at(study, home)
        with pytest.raises(WarehouseError, match="plumbline verify tells every fault"):
            preregister(study, home)


def test_a_preregistration_of_another_machines_clock_is_refused(study_of, home, refused):
    later = of_before(study_of(), 2) | {"preregistered_at": "2999-01-01T00:00:00.000000Z"}
    write_preregistrations(home, later)
    with refused(WarehouseError, "the file") as of_preregistration:
        preregistered_at(study_of(), home)
    home.preregistrations("mine").unlink()
    entry = preregistration_entry("mine", later)
    home.chain.write_text(line_of(entry, "2999-01-01T00:00:00.000000Z", "").text() + "\n")
    with refused(WarehouseError, "the file") as of_chain:
        preregister(study_of(), home)
    assert [str(told.value.got).startswith("2999-01-01") for told in (of_preregistration, of_chain)] == [True, True]
    assert not home.preregistrations("mine").exists()


def test_a_preregistration_that_a_kill_kept_from_the_chain_is_preregistered_when_it_is_preregistered_again(
    study_of, home
):
    preregister(study_of(analysis="{alpha: 0.1}"), home)
    chain = home.chain.read_bytes()
    preregister(study_of(), home)
    home.chain.write_bytes(chain + b'{"at": "20')  # cut short by the same kill
    assert preregistered_at(study_of(), home) is None
    preregistered = preregister(study_of(), home)
    assert len(records_in(home)) == 2
    assert len(read_chain(home)) == 2
    assert (
        preregistered.preregistered_at.strftime(TIME)
        == read_chain(home)[-1].at
        > records_in(home)[-1]["preregistered_at"]
    )


@pytest.mark.parametrize("torn", ['{"analysis_sha256": "', "[]", '{"preregistered_at": 1}'])
def test_a_line_that_was_cut_short_froze_nothing_and_loses_nothing(study_of, home, torn):
    home.preregistrations("mine").parent.mkdir(parents=True)
    home.preregistrations("mine").write_text(torn)
    assert preregistered_at(study_of(), home) is None
    preregister(study_of(), home)
    assert preregistered_at(study_of(), home) is not None
    assert home.preregistrations("mine").read_text().splitlines()[0] == torn


def test_a_folder_that_cannot_be_written_is_an_error_that_says_where(study_of, home, refused):
    home.root.mkdir()
    home.preregistrations("mine").parent.write_text("a file where the folder should be")
    with refused(WarehouseError, "the file"):
        preregister(study_of(), home)


def test_the_message_says_what_was_preregistered(study_of, home, snapshot):
    analysis = "{margins: {mean_difference: 0.1}, contrasts: [dbi], families: {mine: {slices: [all]}}}"
    study = study_of(analysis=analysis, slices="{each: race}")
    preregistered = preregister(study, home)
    lines = preregistered.text("mine").splitlines()
    assert lines[
        0
    ] == f"Analysis of mine frozen now: {preregistered.preregistered_at:%Y-%m-%dT%H:%M:%S.%fZ}, sha256 " + (
        analysis_sha256(study)
    )
    said = dict(line.split(maxsplit=1) for line in lines[1:])
    assert said | {"margins": json.loads(said["margins"])["mean_difference"]} == snapshot
    assert "frozen before, unchanged since" in preregister(study, home).text("mine")


HYPOTHESIS = {
    "family_id": "primary",
    "system_id": "far",
    "reference_system_id": "fair",
    "slice_id": "woman",
    "grouping_id": "race",
    "measure_id": "sentiment",
    "calibration": "calibrated",
    "statistic": "groups_changed",
    "parameters": "",
}


def test_a_preregistration_lists_the_hypotheses_and_keeps_those_that_become_known_later(study_of, home, snapshot):
    first = preregister(study_of(), home)
    hypotheses = [
        HYPOTHESIS,
        *[HYPOTHESIS | {"measure_id": f"m{n}"} for n in range(60)],
        HYPOTHESIS | {"family_id": "secondary"},
    ]
    told = preregister(study_of(), home, hypotheses).text("mine").splitlines()
    listed = told[told.index("  questions    primary 61, secondary 1") + 1 :]
    assert [listed[0], listed[-1]] == snapshot
    assert "m58" in listed[-2] and "m59" not in "".join(listed)
    preregister(study_of(), home, hypotheses)
    records = [json.loads(line) for line in home.preregistrations("mine").read_text().splitlines()]
    assert [record["hypotheses"] for record in records] == [None, hypotheses]
    assert preregistered_at(study_of(), home) == first.preregistered_at


def test_the_message_says_where_responses_came_before(study_of, home):
    note = "The study has responses already"
    assert note not in preregister(study_of(), home).text("mine")
    home.responses("mine").mkdir(parents=True)
    (home.responses("mine") / "writer.assemble.jsonl").write_text("{}")
    assert note not in preregister(study_of(analysis="{alpha: 0.2}"), home).text("mine")
    (home.responses("mine") / "fair.jsonl").write_text("{}")
    assert note not in preregister(study_of(), home).text("mine")
    assert note in preregister(study_of(analysis="{alpha: 0.1}"), home).text("mine")


def test_the_message_says_that_imported_responses_stay_exploratory(study_of, home):
    note = "Imported responses carry no time of request: findings on them stay exploratory."
    assert note not in preregister(study_of(), home).text("mine")
    (home.root.parent / "t.csv").write_text("id,sex,answer\n1,woman,Yes.\n")
    imported = study_of(
        factors="{gender: {levels: [woman, man]}}",
        prompts="{import: {path: t.csv, columns: {prompt: id, response: answer}, factors: {gender: sex}}}",
        systems="[{name: asked_before, provider: replay}]",
        analysis="{alpha: 0.2}",
    )
    assert preregister(imported, home).text("mine").endswith(note)
    again = preregister(imported, home)
    assert not again.is_new and again.text("mine").endswith(note)


def test_the_command_plans_and_preregistrations(write_study, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    path = write_study(BASE | {"measures": "[vader]"})
    assert cli.main(["plan", str(path)]) == 0
    assert "preregistered" not in capsys.readouterr().out
    assert not (tmp_path / "home" / "preregistrations").exists()
    assert cli.main(["plan", "--preregister", str(path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Study mine: valid.")
    assert "Analysis of mine frozen now" in said


def test_an_analysis_is_preregistered_where_this_machine_cannot_run_the_study(
    write_study, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("PLUMBLINE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NOT_SET_HERE", raising=False)
    asked = "[{name: asked, provider: openai, model: m, api_key_env: NOT_SET_HERE}]"
    path = write_study(BASE | {"measures": "[vader]", "systems": asked})
    assert cli.main(["plan", "--preregister", str(path)]) == 1
    said = capsys.readouterr().out
    assert "A run would fail:" in said and "Analysis of mine frozen now" in said


def test_a_run_records_the_hash_and_when_it_was_preregistered(study_of, home, build):
    study = study_of()

    def recorded():
        record_study(study, build, home, run_id="r")
        return build.execute("select analysis_sha256, preregistered_at from raw.studies").fetchall()

    assert recorded() == [(analysis_sha256(study), None)]
    preregistered = preregister(study, home)
    assert recorded() == [(preregistered.sha256, preregistered.preregistered_at)]
