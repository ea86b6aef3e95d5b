import pytest

from python_assets.audit.design import QUICK
from python_assets.audit.first_answers import N_ANSWERS, told_unreadable, unreadable
from python_assets.audit.models import asked_models
from python_assets.audit.prepare import Wanted, minutes_to_go, prepare
from python_assets.errors import GenerationError
from python_assets.warehouse.progress import SILENT
from tests.python_assets.providers.servers import Reply, Server, openai_completion, serving


def answering(*texts, finish_reason="stop"):
    """A server that gives these answers in turn."""

    def answer(server, request):
        return openai_completion(texts[len(server.calls) % len(texts)], finish_reason)

    return serving(Server("/v1/chat/completions", answer))


def planned(server, home, tmp_path):
    wanted = Wanted("audit", ["grants"], asked_models(["openai:m"], f"{server.url}/v1"), QUICK)
    return prepare(wanted, tmp_path / "studies", home)[0]


def prepared(server, home, tmp_path):
    return planned(server, home, tmp_path).study


def test_a_model_of_which_nothing_can_be_read_is_told_after_few_answers(on_shelf, home, tmp_path, snapshot):
    with answering("Lorem ipsum dolor.", "The office is in town.") as server:
        study = prepared(server, home, tmp_path)
        (found,) = unreadable(study, home, SILENT)
        assert len(server.calls) == N_ANSWERS
        asked_again = unreadable(study, home, SILENT)
        assert len(server.calls) == N_ANSWERS  # the log has them, for the run too
    assert (found.generation_id, found.measure_id, found.n_answers) == ("m", "favoured", N_ANSWERS)
    assert found.reasons == {"no_rule_matched": N_ANSWERS}
    assert asked_again == [found]
    assert told_unreadable(found, study) == snapshot


def test_answers_that_are_cut_while_the_model_thinks_are_told_as_such(on_shelf, home, tmp_path):
    with answering("<think>Let me see what this is about", finish_reason="length") as server:
        study = prepared(server, home, tmp_path)
        (found,) = unreadable(study, home, SILENT)
    assert found.n_answers == N_ANSWERS
    assert "no_rule_matched" not in found.reasons


def test_the_first_answers_tell_how_long_the_rest_takes(on_shelf, home, tmp_path):
    with answering("Yes.") as server:
        theme = planned(server, home, tmp_path)
        assert minutes_to_go([theme]) is None
        assert unreadable(theme.study, home, SILENT) == []
    assert 0 < minutes_to_go([theme]) < 1
    assert minutes_to_go([]) is None


def test_one_readable_answer_is_enough(on_shelf, home, tmp_path):
    with answering(*["Hard to say."] * 19, "Yes.") as server:
        assert unreadable(prepared(server, home, tmp_path), home, SILENT) == []


@pytest.mark.parametrize(("status", "n_calls"), [(200, 3), (404, 1)])
def test_a_page_in_the_place_of_an_api_ends_it_at_the_first_calls(on_shelf, home, tmp_path, status, n_calls):
    page = Reply(b"<!doctype html><title>No such page</title>", status=status)
    with serving(Server("/v1/chat/completions", lambda *_: page)) as server:
        study = prepared(server, home, tmp_path)
        with pytest.raises(GenerationError, match="correct base_url"):
            unreadable(study, home, SILENT)
        assert len(server.calls) == n_calls


def test_simulated_models_are_not_looked_at(on_shelf, home, tmp_path):
    wanted = Wanted("audit", ["grants"], asked_models(["simulator:fair"]), QUICK)
    study = prepare(wanted, tmp_path / "studies", home)[0].study
    assert unreadable(study, home, SILENT) == []
    assert not home.responses(study.study_id).exists()
