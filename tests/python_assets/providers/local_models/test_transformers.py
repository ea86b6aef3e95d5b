import json
import random
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from python_assets.errors import ProviderError
from python_assets.providers.local_models.causal_models import find_model, load_model, message_tokens
from python_assets.providers.local_models.options import Loading, lacking, loading_of
from python_assets.providers.loop import generate, probe
from python_assets.providers.provider import config_problems
from python_assets.providers.records import Message, Prompt, SystemConfig, SystemRun
from tests.heard import Heard
from tests.python_assets.providers.local_models.tiny_models import CHAT, WORDS, save_model
from tests.python_assets.providers.test_conversation import TwoTurns

Run = Callable[..., SystemRun]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("models") / "chatty", CHAT)


@pytest.fixture
def run(model: Path, tmp_path: Path) -> Run:
    """Answer prompts; each call has a log of its own."""
    n_runs = iter(range(100))

    def answer(prompts: list[Prompt], **config: Any) -> SystemRun:
        log = config.pop("log", tmp_path / f"{next(n_runs)}.jsonl")
        decoding = {"temperature": 0.0, "seed": 1, "max_tokens": 12, **config.pop("decoding", {})}
        settings = {"system_id": "tiny", "provider": "transformers", "model": str(model), **config}
        return generate(prompts, SystemConfig(**{"decoding": decoding, **settings}), log)

    return answer


def some_prompts(n: int = 12, longest: int = 30) -> list[Prompt]:
    draw = random.Random(1)
    texts = [" ".join(draw.choices(WORDS[1:], k=draw.randint(1, longest))) for _ in range(n)]
    return [Prompt(f"p{i}", f"p{i}", text, task="question") for i, text in enumerate(texts)]


def logits_of(model: Path, tokens: list[int]) -> np.ndarray:
    """Scores of the next token by one pass without cache, batch or padding."""
    import torch

    with torch.inference_mode():
        scores = load_model(*find_model(Path(), str(model), None, "")).model(torch.tensor([tokens])).logits
    return np.asarray(scores[0, -1], dtype=float)


def tokens_of(model: Path, text: str) -> list[int]:
    loaded = load_model(*find_model(Path(), str(model), None, ""))
    return message_tokens(loaded.tokenizer, [Message(role="user", content=text)], "")


def test_without_temperature_each_token_is_the_likeliest(run: Run, model: Path) -> None:
    prompts = some_prompts(5)
    answers = run(prompts, concurrency=5).responses
    loaded = load_model(*find_model(Path(), str(model), None, ""))
    for prompt, answer in zip(prompts, answers, strict=True):
        tokens = tokens_of(model, prompt.prompt_text or "")
        written: list[int] = []
        while len(written) < 12 and not set(written) & set(loaded.stops):
            written.append(int(np.argmax(logits_of(model, tokens + written))))
        own = [token for token in written if token not in loaded.stops]
        assert answer.response_text == loaded.tokenizer.decode(own, skip_special_tokens=True)
        assert (answer.n_tokens_in, answer.n_tokens_out) == (len(tokens), len(written))


@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, None), (0.5, None), (1.0, 0.6)])
def test_tokens_are_drawn_as_often_as_they_are_likely(
    run: Run, model: Path, temperature: float, top_p: float | None
) -> None:
    n = 1_500
    prompts = [Prompt("p", "p", "a question ?", task="question")]
    decoding = {"temperature": temperature, "top_p": top_p, "max_tokens": 1}
    drawn = Counter(row.response_text for row in run(prompts, replicates=n, concurrency=n, decoding=decoding).responses)
    scores = logits_of(model, tokens_of(model, "a question ?")) / temperature
    likely = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    if top_p is not None:
        order = np.argsort(-likely)
        n_kept = int(np.searchsorted(np.cumsum(likely[order]), top_p)) + 1
        likely[order[n_kept:]] = 0
        likely /= likely.sum()
    for token, word in enumerate(WORDS):
        expected = n * likely[token]
        # five standard deviations of a count, and a few of the rarest
        assert abs(drawn[word] - expected) <= 5 * np.sqrt(expected) + (3 if expected else 0), word


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("has_absolute_positions", [False, True])
def test_an_answer_does_not_depend_on_the_prompts_beside_it(
    run: Run, tmp_path: Path, temperature: float, has_absolute_positions: bool
) -> None:
    prompts = some_prompts(12)
    save_model(tmp_path / "one", CHAT, has_absolute_positions=has_absolute_positions)
    options = {"model": "one", "folder": tmp_path, "decoding": {"temperature": temperature}}
    kept = [
        [
            (row.response_text, row.status, row.n_tokens_in, row.n_tokens_out)
            for row in run(prompts, concurrency=n, **options).responses
        ]
        for n in (1, 5, 12)
    ]
    assert kept[0] == kept[1] == kept[2]
    assert len(set(kept[0])) > 6


def test_padding_moves_no_score_by_more_than_rounding(model: Path) -> None:
    import torch

    loaded = load_model(*find_model(Path(), str(model), None, ""))
    prompts = [tokens_of(model, prompt.prompt_text or "") for prompt in some_prompts(12)]
    width = max(map(len, prompts))
    padded = torch.tensor([[0] * (width - len(tokens)) + tokens for tokens in prompts])
    mask = torch.tensor([[0] * (width - len(tokens)) + [1] * len(tokens) for tokens in prompts])
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    with torch.inference_mode():
        together = loaded.model(padded, attention_mask=mask, position_ids=positions).logits[:, -1]
    alone = np.array([logits_of(model, tokens) for tokens in prompts])
    # float32 logits of some units: how far sums in another order part them differs by processor
    assert np.abs(np.asarray(together) - alone).max() < 1e-4
    assert np.abs(alone).max() > 1


def test_a_replicate_is_drawn_by_seed_plus_replicate(run: Run) -> None:
    prompts = some_prompts(3, longest=5)
    decoding = {"temperature": 1.0, "seed": 7}
    twice = run(prompts, replicates=2, decoding=decoding).responses
    later = run(prompts, decoding={**decoding, "seed": 8}).responses
    assert [row.response_text for row in twice if row.replicate == 1] == [row.response_text for row in later]
    assert [row.response_text for row in twice if row.replicate == 0] != [row.response_text for row in later]


def test_a_missing_seed_draws_anew(run: Run) -> None:
    prompts = some_prompts(8)
    first, second = (run(prompts, decoding={"temperature": 1.0, "seed": None}).responses for _ in range(2))
    assert [row.response_text for row in first] != [row.response_text for row in second]


def test_an_answer_that_ends_by_itself_is_ok_and_one_that_is_cut_is_truncated(run: Run) -> None:
    rows = run(some_prompts(40), concurrency=40, decoding={"temperature": 1.0}).responses
    assert {row.is_truncated for row in rows} == {False, True}
    assert all(row.n_tokens_out == 12 for row in rows if row.is_truncated)
    assert all((row.n_tokens_out or 0) <= 12 for row in rows)
    assert all(row.latency_seconds and row.requested_at for row in rows)


def test_a_prompt_near_the_end_of_what_the_model_reads_leaves_the_others_alone(run: Run, snapshot) -> None:
    short, near, over = (Prompt(str(n), str(n), " ".join(["w1"] * n), task="question") for n in (3, 57, 70))
    decoding = {"temperature": 1.0, "seed": 3}
    rows = run([short, near, over], concurrency=3, decoding=decoding).responses
    assert rows[0].response_text == run([short], decoding=decoding).responses[0].response_text
    assert rows[1].n_tokens_out is not None
    assert rows[1].n_tokens_in == 59
    assert rows[1].n_tokens_out <= 64 - 59
    assert (rows[2].status, rows[2].response_text) == ("error", None)
    assert rows[2].error == snapshot


def test_what_the_study_leaves_out_is_the_models_own(tmp_path: Path, run: Run) -> None:
    folder = save_model(tmp_path / "own", CHAT, ends=False)
    (folder / "generation_config.json").write_text(json.dumps({"max_new_tokens": 7, "do_sample": True}))
    decoding = {"temperature": None, "max_tokens": None, "seed": 1}
    prompts = [Prompt("p", "p", "a question ?", task="question")]
    rows = run(prompts, model=str(folder), replicates=9, decoding=decoding).responses
    assert {row.n_tokens_out for row in rows} == {7}
    assert len({row.response_text for row in rows}) > 1


def with_own(folder: Path, **own: Any) -> str:
    """A model whose generation_config.json says more."""
    file = save_model(folder, CHAT) / "generation_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | own))
    return str(folder)


def test_the_least_share_of_a_token_is_the_models_own(tmp_path: Path, run: Run) -> None:
    prompts, decoding = some_prompts(1), {"temperature": 1.0}
    strict = with_own(tmp_path / "strict", do_sample=True, min_p=1.0)
    drawn = run(prompts, model=strict, replicates=5, decoding=decoding).responses
    likeliest = run(prompts, model=strict).responses[0].response_text
    assert {row.response_text for row in drawn} == {likeliest}


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_model_that_asks_for_beams_writes_token_by_token(
    tmp_path: Path, run: Run, model: Path, temperature: float
) -> None:
    prompts, decoding = some_prompts(6), {"temperature": temperature}
    beams = with_own(tmp_path / "beams", num_beams=3)
    answers = [row.response_text for row in run(prompts, model=beams, decoding=decoding).responses]
    assert answers == [row.response_text for row in run(prompts, decoding=decoding).responses]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_prompt_without_a_token_is_an_error_of_its_own(tmp_path: Path, run: Run, concurrency: int, snapshot) -> None:
    folder = save_model(tmp_path / "bare")
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"post_processor": None}))
    prompts = [Prompt("p", "p", "", task="question"), *some_prompts(2)]
    rows = run(prompts, model=str(folder), concurrency=concurrency).responses
    assert [row.status for row in rows] == ["error", "ok", "ok"]
    assert rows[0].error == snapshot


def test_the_type_of_the_weights_is_recorded_under_its_older_name(tmp_path: Path, run: Run) -> None:
    file = save_model(tmp_path / "older", CHAT) / "config.json"
    file.write_text(file.read_text().replace('"dtype"', '"torch_dtype"'))
    details = run(some_prompts(1), model=str(tmp_path / "older")).description.model_details
    assert details["dtype"] == "float32"


def test_a_model_larger_than_memory_is_told(model: Path, run: Run, monkeypatch: pytest.MonkeyPatch, refused) -> None:
    import torch

    def full(module: Any, device: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    load_model.cache_clear()
    monkeypatch.setattr("torch.nn.Module.to", full)
    with refused(ProviderError, "the file"):
        run(some_prompts(1))


def test_marks_of_reasoning_that_are_control_tokens_are_read(tmp_path: Path, run: Run) -> None:
    folder = save_model(tmp_path / "thinks", ends=False)
    for file in (folder / "tokenizer.json", folder / "tokenizer_config.json"):
        written = file.read_text().replace("<user>", "[THINK]").replace("<assistant>", "[/THINK]")
        file.write_text(written)
    prompts, decoding = [Prompt("p", "p", "w1", task="question")], {"temperature": 3.0, "max_tokens": 40}
    rows = run(prompts, model=str(folder), replicates=20, decoding=decoding).responses
    thought = [json.loads(row.context_json)["reasoning"] for row in rows if row.context_json]
    assert 0 < len(thought) < 20
    assert all("[/THINK]" not in text for text in thought)
    assert all("<system>" not in text for text in [*thought, *(row.response_text or "" for row in rows)])


def test_a_rerun_asks_nothing_and_other_weights_are_asked_anew(run: Run, tmp_path: Path) -> None:
    folder, log = save_model(tmp_path / "first", CHAT), tmp_path / "log.jsonl"
    prompts = some_prompts(2)
    first = run(prompts, model="first", folder=tmp_path, log=log)
    assert len(first.description.model_digest or "") == 64
    assert first.description.model_details["architectures"] == ["LlamaForCausalLM"]
    assert run(prompts, model="first", folder=tmp_path, log=log).n_requested == 0
    assert run(prompts, model="first", folder=tmp_path, log=log, concurrency=1).n_requested == 0
    save_model(folder, CHAT, seed=1)
    other = run(prompts, model="first", folder=tmp_path, log=log)
    assert other.n_requested == 2
    assert other.responses[0].response_text != first.responses[0].response_text


def test_an_extension_holds_its_conversations_side_by_side(run: Run) -> None:
    prompts = some_prompts(6, longest=8)
    together = run(prompts, concurrency=6, extension=TwoTurns())
    alone = run(prompts, concurrency=1, extension=TwoTurns())
    assert [row.response_text for row in together.responses] == [row.response_text for row in alone.responses]
    assert all("first" in (row.context_json or "") for row in together.responses)


def test_every_batch_is_logged_when_it_is_answered(run: Run, tmp_path: Path, model: Path) -> None:
    config = SystemConfig("tiny", "transformers", str(model), decoding={"max_tokens": 1}, concurrency=4)
    log = tmp_path / "progress.jsonl"
    n_lines: list[int] = []

    def count_lines(n_done: int, n_total: int) -> None:
        n_lines.append(len(log.read_text().splitlines()) - 1)

    heard = Heard(count_lines)
    generate(some_prompts(10), config, log, heard)
    assert heard.counts == [("tiny", "answers", n, 10) for n in (4, 8, 10)]
    assert n_lines == [4, 8, 10]


def test_an_absent_model_is_told_before_anything_is_asked(tmp_path: Path, monkeypatch: Any, refused) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    config = SystemConfig("tiny", "transformers", "nobody/nothing", options={"revision": "abc"})
    with refused(ProviderError, "system 'tiny': model 'nobody/nothing'"):
        probe(some_prompts(1), config, tmp_path / "log.jsonl")


def test_a_prompt_without_text_is_told(run: Run, refused) -> None:
    with refused(ProviderError, "system 'tiny'"):
        run([Prompt("p", "p", None)])


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"model": " "}, "model"),
        ({"model": "m", "options": {"min_p": 3}}, "options.min_p"),
        ({"model": "m", "options": {"top_logprobs": 0}}, "options.top_logprobs"),
        ({"model": "m", "options": {"revision": 12}}, "options.revision"),
        ({"model": "m", "options": {"dtype": "int3"}}, "options.dtype"),
        ({"model": "m", "options": {"device": "gpu"}}, "options.device"),
        ({"model": "m", "options": {"device_map": "best"}}, "options.device_map"),
        ({"model": "m", "options": {"device": "cpu", "device_map": "auto"}}, "options.device_map"),
        ({"model": "m", "options": {"quantization": {"load_in_4bit": True}}}, "options.quantization"),
        ({"model": "m", "options": {"threads": 0}}, "options.threads"),
        ({"model": "m", "options": {"stop": ["a", ""]}}, "options.stop"),
        ({"model": "m", "options": {"top_k": -1}}, "options.top_k"),
    ],
)
def test_a_mistake_in_the_study_file_is_told(told: Any, config: dict[str, Any], field: str) -> None:
    assert told(config_problems(SystemConfig("tiny", "transformers", **config), {})) == [field]


def test_the_likeliest_first_tokens_are_those_of_one_pass(model: Path, run: Run) -> None:
    prompts = some_prompts(5, longest=8)
    decoding = {"temperature": 2.0, "max_tokens": 3}
    rows = run(prompts, options={"top_logprobs": 4}, concurrency=5, decoding=decoding).responses
    names = {name: number for number, name in enumerate(WORDS)}
    for prompt, row in zip(prompts, rows, strict=True):
        likely = json.loads(row.context_json or "")["first_token_logprobs"]
        logits = logits_of(model, tokens_of(model, prompt.prompt_text or ""))
        by_hand = logits - np.log(np.exp(logits).sum())
        assert sorted(likely.values()) == pytest.approx(np.sort(by_hand)[-4:], abs=1e-4)
        known = {name: value for name, value in likely.items() if name in names}
        assert known == pytest.approx({name: by_hand[names[name]] for name in known}, abs=1e-4)
    plain = run(prompts, concurrency=5, decoding=decoding).responses
    assert [row.response_text for row in plain] == [row.response_text for row in rows]
    assert {row.context_json for row in plain} == {None}


def test_an_answer_ends_before_the_first_of_the_stop_texts(run: Run) -> None:
    prompts = some_prompts(12)
    whole = run(prompts, concurrency=12).responses
    # what an answer holds after its start, so that several end there
    stop = [" ".join((row.response_text or "").split()[2:4]) for row in whole if row.response_text]
    stop = [text for text in stop if " " in text][:3]
    for concurrency in (1, 12):
        cut = run(prompts, concurrency=concurrency, options={"stop": stop}).responses
        n_cut = 0
        for before, after in zip(whole, cut, strict=True):
            text = before.response_text or ""
            ends = [at for one in stop if (at := text.find(one)) >= 0]
            assert after.response_text == text[: min(ends, default=len(text))]
            if ends:
                n_cut += 1
                assert not after.is_truncated
                completed = min(at + len(one) for one in stop if (at := text.find(one)) >= 0)
                # a control token counts, and is no text
                n_words = len(text[:completed].split())
                assert n_words <= (after.n_tokens_out or 0) <= (before.n_tokens_out or 0)
            else:
                assert (after.n_tokens_out, after.is_truncated) == (before.n_tokens_out, before.is_truncated)
        assert n_cut >= 3
        n_tokens = [sum(row.n_tokens_out or 0 for row in rows) for rows in (cut, whole)]
        assert n_tokens[0] < n_tokens[1]


def test_top_k_bounds_what_is_drawn(run: Run, model: Path) -> None:
    prompts = [Prompt("p", "p", "a question ?", task="question")]
    decoding = {"temperature": 2.0, "max_tokens": 1}
    options = {"options": {"top_k": 3}, "replicates": 200, "concurrency": 200}
    drawn = {row.response_text for row in run(prompts, decoding=decoding, **options).responses}
    scores = logits_of(model, tokens_of(model, "a question ?"))
    names = dict(enumerate(WORDS))
    assert drawn <= {names.get(int(token), "") for token in np.argsort(-scores)[:3]}
    assert len(drawn) > 1


def test_weights_are_read_in_the_type_that_is_named(model: Path, run: Run) -> None:
    import torch

    place = find_model(Path(), str(model), None, "")
    assert load_model(*place, Loading(dtype="bfloat16")).model.dtype == torch.bfloat16
    assert load_model(*place, Loading(dtype="float32")).model.dtype == torch.float32
    answered = run(some_prompts(2), options={"dtype": "bfloat16"})
    assert answered.n_by_status["ok"] == 2
    assert answered.description.model_details["dtype"] == "bfloat16"


def test_how_a_model_is_loaded_is_passed_on() -> None:
    options = {
        "dtype": "float16",
        "device_map": {"": 0},
        "quantization": {"quant_method": "bitsandbytes", "load_in_8bit": True},
    }
    assert loading_of(options).arguments() == {
        "dtype": "float16",
        "device_map": {"": 0},
        "quantization_config": {"quant_method": "bitsandbytes", "load_in_8bit": True},
    }
    assert loading_of({}).arguments() == {}


def test_threads_and_device_are_set_and_recorded(run: Run) -> None:
    import torch

    details = run(some_prompts(1), options={"threads": 1, "device": "cpu"}).description.model_details
    assert (details["threads"], details["device"], torch.get_num_threads()) == (1, "cpu", 1)
    details = run(some_prompts(1)).description.model_details
    assert (details["threads"], torch.get_num_threads()) == (2, 2)
    assert details["device"] == ("cuda" if torch.cuda.is_available() else "cpu")


@pytest.mark.parametrize("options", [{"device": "cuda:99"}, {"device_map": {"": 99}}, {"device_map": {"": "cuda:99"}}])
def test_a_gpu_that_is_not_there_is_told_before_the_model_is_read(
    model: Path, tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("python_assets.providers.local_models.options.find_spec", lambda name: name)
    config = SystemConfig("tiny", "transformers", str(model), options=options)
    for start in (probe, generate):
        with pytest.raises(ProviderError) as raised:
            start(some_prompts(1), config, tmp_path / "log.jsonl")
        assert "device cuda:99" in raised.value.got


def test_a_package_that_is_not_there_is_told(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("python_assets.providers.local_models.options.find_spec", lambda name: None)
    lack = lacking(Loading(device_map='"auto"'))
    assert lack is not None and lack.field == "options.device_map"
    assert lack.remedy.endswith("pip install accelerate")


@pytest.mark.parametrize("method", ["no_such_method", "bitsandbytes"])
def test_a_quantisation_that_cannot_run_here_is_told(method: str) -> None:
    if method == "bitsandbytes" and find_spec("bitsandbytes"):
        pytest.skip("it can run here")
    lack = lacking(loading_of({"quantization": {"quant_method": method}}))
    assert lack is not None and lack.field == "options.quantization" and method in lack.got


@pytest.mark.parametrize("where", ["generation_config.json", "tokenizer"])
def test_an_end_token_outside_the_vocabulary_is_an_error(tmp_path: Path, run: Run, where: str, refused) -> None:
    if where == "tokenizer":
        folder = save_model(tmp_path / "short", CHAT, vocab_size=len(WORDS))
    else:
        folder = save_model(tmp_path / "wrong", CHAT, ends=False)
        (folder / where).write_text(json.dumps({"eos_token_id": [3, 5_000]}))
    with refused(ProviderError, "the file"):
        run(some_prompts(1), model=str(folder))
