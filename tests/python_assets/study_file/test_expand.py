import pytest

from python_assets.study_file.load import load_study
from tests.python_assets.study_file.sections import SCRAPE, TEMPLATES, imported, measures, systems


def test_models_and_roles_become_a_system_each(write_study):
    path = write_study(
        systems(
            '[{name: "{model}_{system_prompt_name}", provider: ollama, model: ["gemma2:9b", "qwen2:7b"], '
            'system_prompt: {none: "", kind: Be kind.}}, {name: Solo, provider: simulator, system_prompt: Be kind.}]'
        )
    )
    study = load_study(path, check_files=False)
    assert [(g.system_id, g.model, g.system_prompt) for g in study.systems] == [
        ("gemma2_9b_none", "gemma2:9b", ""),
        ("gemma2_9b_kind", "gemma2:9b", "Be kind."),
        ("qwen2_7b_none", "qwen2:7b", ""),
        ("qwen2_7b_kind", "qwen2:7b", "Be kind."),
        ("solo", "", "Be kind."),
    ]


def test_each_wave_of_a_list_is_a_system(write_study):
    entry = '{name: "g_{wave}", provider: simulator, wave: ["2026-10", 2026-11]}'
    study = load_study(write_study(systems(f"[{entry}]")), check_files=False)
    assert [(g.system_id, g.wave) for g in study.systems] == [("g_2026_10", "2026-10"), ("g_2026_11", "2026-11")]


def test_each_known_level_becomes_a_slice(write_study):
    study = load_study(
        write_study({**SCRAPE, "slices": "{each: concept, article: {source_tag: article, concept: [Italy]}}"}),
        check_files=False,
    )
    assert study.each == "concept"
    assert study.slices == {
        "article": {"source_tag": ["article"], "concept": ["Italy"]},
        "Ideraland": {"concept": ["Ideraland"]},
        "Italy": {"concept": ["Italy"]},
    }


def test_levels_that_only_the_data_shows_are_left_to_the_run(write_study):
    sections = {
        **imported(slices="{each: gender}"),
        "measures": "[{name: s, kind: continuous, column: score, slice: woman}]",
    }
    study = load_study(write_study(sections), check_files=False)
    assert (study.each, study.slices, study.measures[0].slice) == ("gender", {}, "woman")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[concept, [concept, task]]", [("concept",), ("concept", "task")]),
        ("{factors: [concept, task], depth: 2}", [("concept",), ("task",), ("concept", "task")]),
        ("[{factors: [concept, task]}, [task, concept]]", [("concept",), ("task",), ("task", "concept")]),
    ],
)
def test_groupings_are_written_out_in_order(write_study, text, expected):
    assert load_study(write_study({**SCRAPE, "groupings": text}), check_files=False).groupings == expected


def test_groupings_default_to_each_factor_of_type_domain(write_study):
    sections = {
        **TEMPLATES,
        "factors": "{gender: {levels: [woman, man]}, age: {type: prompt, levels: [old]}, race: {levels: [a, b]}}",
        "prompts": '{templates: {cross: [race, age, gender], texts: [{id: t1, text: "A"}]}}',
    }
    assert load_study(write_study(sections)).groupings == [("gender",), ("race",)]


def test_a_name_alone_is_a_built_in_measure(write_study):
    study = load_study(
        write_study(measures("[sentiment, refusal, {name: baseline_distance, direction: none}]")), check_files=False
    )
    assert [measure.scorer for measure in study.measures] == ["sentiment", "refusal", "baseline_distance"]


def test_a_misspelt_factor_with_reference_levels_is_told_like_any_other(mistaken):
    sections = {**TEMPLATES, "groupings": "[gender, gendr]", "analysis": "{reference: reference_level}"}
    assert mistaken(sections, check_files=True) == ["groupings[1]"]


def test_the_model_that_embeds_is_a_folder_or_file_beside_the_study_or_a_name(tmp_path, write_study):
    (tmp_path / "models" / "own").mkdir(parents=True)
    absent, named, folder, vectors, placed = (
        load_study(write_study({**SCRAPE, **embedding}), check_files=False)
        for embedding in (
            {},
            {"embedding": "someone/some-model"},
            {"embedding": "models/own"},
            {"embedding": "{vectors: glove.txt}"},
            {"embedding": '{model: models/own, device: "cuda:1", threads: 8}'},
        )
    )
    assert (absent.embedding, named.embedding) == (None, "someone/some-model")
    assert folder.embedding == str(tmp_path / "models" / "own")
    assert vectors.embedding.vectors == str(tmp_path / "glove.txt")
    assert (placed.embedding.model, placed.embedding.device) == (folder.embedding, "cuda:1")
    assert placed.embedding.threads == 8
    assert "models/own" in folder.config_json
    assert str(tmp_path) not in folder.config_json
