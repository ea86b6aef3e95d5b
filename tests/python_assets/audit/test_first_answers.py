import pytest

from python_assets.audit.design import QUICK
from python_assets.audit.first_answers import N_ANSWERS, told_unreadable, unreadable
from python_assets.audit.models import asked_models
from python_assets.audit.prepare import Wanted, minutes_to_go, prepare
from python_assets.errors import ProviderError
from python_assets.study_file.load import load_study
from python_assets.warehouse.build import Home
from python_assets.warehouse.progress import SILENT
from tests.python_assets.audit.conftest import benchmarks_of_grants
from tests.python_assets.providers.servers import Reply, Server, openai_completion, serving


@pytest.fixture(scope="module")
def grants(tmp_path_factory):
    """The one study of an audit, and the server of its model, which answers with its `says` in turn."""

    def answer(server, request):
        texts, finish_reason = server.says
        return openai_completion(texts[len(server.calls) % len(texts)], finish_reason)

    folder = tmp_path_factory.mktemp("grants")
    with benchmarks_of_grants(folder), serving(Server("/v1/chat/completions", answer)) as server:
        wanted = Wanted("audit", ["grants"], asked_models(["openai:m"], f"{server.url}/v1"), QUICK)
        (folder / "studies").mkdir()
        (benchmark,) = prepare(wanted, folder / "studies", Home(folder / "warehouse"))
        yield benchmark, server


@pytest.fixture
def asked(grants, home):
    """The study, its server, and what gives what of its answers cannot be read."""
    benchmark, server = grants
    server.requests.clear()
    server.next_replies.clear()

    def unscored(*texts, finish_reason="stop"):
        server.says = texts, finish_reason
        return unreadable(benchmark.study, home, SILENT)

    return benchmark, server, unscored


def test_a_model_of_which_nothing_can_be_read_is_told_after_few_answers(asked, snapshot):
    benchmark, server, unscored = asked
    texts = "Lorem ipsum dolor.", "The office is in town."
    (found,) = unscored(*texts)
    assert len(server.calls) == N_ANSWERS
    asked_again = unscored(*texts)
    assert len(server.calls) == N_ANSWERS  # the log has them, for the run too
    assert (found.system_id, found.measure_id, found.n_answers) == ("m", "favoured", N_ANSWERS)
    assert found.reasons == {"no_rule_matched": N_ANSWERS}
    assert asked_again == [found]
    assert told_unreadable(found, benchmark.study) == snapshot


def test_answers_that_are_cut_while_the_model_thinks_are_told_as_such(asked):
    _, _, unscored = asked
    (found,) = unscored("<think>Let me see what this is about", finish_reason="length")
    assert found.n_answers == N_ANSWERS
    assert "no_rule_matched" not in found.reasons


def test_the_first_answers_tell_how_long_the_rest_takes(asked):
    benchmark, _, unscored = asked
    assert minutes_to_go([benchmark]) is None
    assert unscored("Yes.") == []
    assert 0 < minutes_to_go([benchmark]) < 1
    assert minutes_to_go([]) is None


def test_one_readable_answer_is_enough(asked):
    _, _, unscored = asked
    assert unscored(*["Hard to say."] * 19, "Yes.") == []


@pytest.mark.parametrize(("status", "n_calls"), [(200, 3), (404, 1)])
def test_a_page_in_the_place_of_an_api_ends_it_at_the_first_calls(asked, status, n_calls):
    _, server, unscored = asked
    page = Reply(b"<!doctype html><title>No such page</title>", status=status)
    server.next_replies = [page] * N_ANSWERS
    with pytest.raises(ProviderError, match="correct base_url"):
        unscored("Yes.")
    assert len(server.calls) == n_calls


@pytest.mark.parametrize("stands_in", [False, True])
def test_simulated_models_are_not_looked_at(asked, packaged, home, stands_in):
    benchmark, server, _ = asked
    study = (
        benchmark.study.model_copy(update={"has_stand_in": True}) if stands_in else load_study(packaged / "grants.yml")
    )
    assert unreadable(study, home, SILENT) == []
    assert (server.calls, home.responses(study.study_id).exists()) == ([], False)
