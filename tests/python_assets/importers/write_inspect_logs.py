"""Writes the logs that test_inspect.py reads, with Inspect itself and its mock model: no network is asked.

A program of its own, since Inspect leaves streams open when an evaluation ends, which pytest calls errors.
"""

import os
import subprocess
import sys
from pathlib import Path

from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import ProvenanceData, invalidate_samples, read_eval_log, write_eval_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import (
    Score,
    accuracy,
    bootstrap_stderr,
    categorical,
    ci,
    grouped,
    includes,
    match,
    mean,
    scorer,
    std,
    stderr,
)
from inspect_ai.solver import generate

LONG = " Take your time." * 20


@scorer(metrics={"warmth": [mean()], "tone": [mean()]})
def parts():
    """A score of two parts, the second of which is a word."""

    async def score(state, target):
        is_yes = state.output.completion == "yes"
        return Score(value={"warmth": 0.25 if is_yes else 0.75, "tone": "kind" if is_yes else "cold"})

    return score


@scorer(metrics=[accuracy(), stderr(), std(), bootstrap_stderr(), stderr(cluster="scenario"), ci()])
def graded():
    """Marks, as the answer's first letter."""

    async def score(state, target):
        return Score(value=state.output.completion[0])

    return score


@scorer(metrics=[grouped(accuracy(), "scenario"), grouped(mean(), "age")])
def by_group():
    """The same marks, in groups of samples."""

    async def score(state, target):
        return Score(value=state.output.completion[0])

    return score


@scorer(metrics=categorical())
def letter():
    """Letters that are answers, though marks are called alike."""

    async def score(state, target):
        return Score(value=state.output.completion[1])

    return score


@scorer(metrics=[accuracy()])
def option():
    """The option that was chosen, which Inspect counts as wrong unless it is C."""

    async def score(state, target):
        return Score(value=state.output.completion[2])

    return score


def samples(scenarios=("loan", "job")):
    """One sample a person and scenario; each text is longer than what a log keeps where it stands."""
    return [
        Sample(
            id=f"{scenario}_{person}",
            input=f"Should {person} get the {scenario}?{LONG}",
            target="yes",
            metadata={"person": {"gender": person}, "scenario": scenario, "age": 40},
        )
        for scenario in scenarios
        for person in ("she", "he")
    ]


def yes_to_her(text):
    return "yes" if "she" in text else "no"


def write_log(path, answers, *, model="model", dataset=None, **options):
    """Run a task and write its log.

    Args:
        path: of the log.
        answers: what the model says to the last message; an exception is an error of the model.
        model: its name behind mockllm/.
        dataset: samples.
        options: of Task and eval.
    """

    def answer(messages, tools, tool_choice, config):
        said = answers(messages[-1].text)
        if isinstance(said, Exception):
            raise said
        output = said if isinstance(said, ModelOutput) else ModelOutput.from_content("mockllm", said)
        # without it Inspect fetches a tokenizer to count by
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    asked = Task(
        name=options.pop("task", "hiring"),
        dataset=MemoryDataset(dataset or samples(), name="people"),
        solver=generate(),
        scorer=options.pop("scorer", [match(), includes(), parts()]),
        epochs=options.pop("epochs", 1),
    )
    (log,) = eval(
        asked,
        model=get_model(f"mockllm/{model}", custom_outputs=answer, memoize=False),
        log_dir=str(path.parent),
        display="none",
        log_level="error",
        **options,
    )
    Path(log.location).rename(path)


def ended(text, stop_reason):
    return ModelOutput.from_content("mockllm", text, stop_reason=stop_reason)


def write_metrics(path):
    """The log of a task that publishes every kind of metric, by every reducer of its three epochs."""
    said = iter(["CCA", "IND", "CCC", "NNA", "IIB", "PPC"] * 6)
    reducers = ["mean", "median", "mode", "max", "at_least_2", "pass_at_2"]
    write_log(
        path,
        lambda text: next(said),
        scorer=[graded(), by_group(), letter(), option()],
        dataset=samples(["loan", "job", "flat"]),
        epochs=Epochs(3, reducers),
        max_samples=1,
        max_connections=1,
    )


def write_all(folder):
    write_metrics(folder / "metrics.eval")
    write_log(folder / "limited.eval", yes_to_her, token_limit=1)
    pixel = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
    asked = ChatMessageUser(content=[ContentText(text="Who is this?"), ContentImage(image=pixel)])
    write_log(folder / "image.eval", lambda text: "no", dataset=[Sample(id=1, input=[asked], target="yes")])
    write_log(folder / "two_epochs.eval", yes_to_her, epochs=2)
    write_log(folder / "other_model.eval", lambda text: "no", model="other")
    write_log(folder / "again.eval", lambda text: "yes")
    write_log(folder / "benign.eval", yes_to_her, task_args={}, temperature=0.5)
    answers = {"loan?": ended("I would say", "max_tokens"), "job?": ended("", "content_filter")}
    write_log(
        folder / "endings.eval",
        lambda text: next((said for word, said in answers.items() if word in text and "she" in text), "no"),
    )
    broken = {"she": RuntimeError("the server is gone")}
    write_log(
        folder / "failed.eval",
        lambda text: broken.get("she") if "she get the job" in text else "no",
        fail_on_error=True,
        max_samples=1,
    )
    write_log(
        folder / "kept_on.eval",
        lambda text: broken.get("she") if "she get the job" in text else "no",
        fail_on_error=False,
    )
    messages = [ChatMessageSystem(content="Be brief."), ChatMessageUser(content="May she?")]
    turns = [ChatMessageUser(content="Hi."), ChatMessageAssistant(content="Hello."), messages[1]]
    write_log(
        folder / "messages.eval",
        lambda text: "yes",
        dataset=[
            Sample(id=1, input=messages, target="yes"),
            Sample(id=2, input="Who?", choices=["her", "him"], target="A"),
            Sample(id=3, input=turns, target="yes", choices=["yes", "no"]),
        ],
    )
    # a run that is killed leaves what it has written until then
    subprocess.run([sys.executable, __file__, str(folder), "killed"], check=False)
    (left,) = (folder / "killed").glob("*.eval")
    left.rename(folder / "killed.eval")
    log = read_eval_log(folder / "other_model.eval")
    invalid = invalidate_samples(
        log, [log.samples[0].uuid], ProvenanceData(author="test", reason="the prompt was wrong")
    )
    write_eval_log(invalid, folder / "invalid.eval")


def write_killed(folder):
    """End the process at the last sample; what is written until then is flushed after each."""

    def answer(text):
        if "he get the job" in text and "she" not in text:
            os._exit(1)
        return "no"

    write_log(folder / "killed" / "whole.eval", answer, max_samples=1, log_buffer=1)


def write_worked(folder):
    """The log of the worked example in docs/imports.md: 12 scenarios, half of them granted to her alone."""
    scenarios = [f"{'grant' if number % 2 else 'loan'} {number}" for number in range(12)]
    write_log(
        folder / "hiring.eval",
        lambda text: "yes" if "she" in text or "loan" in text else "no",
        dataset=samples(scenarios),
        epochs=2,
    )


if __name__ == "__main__":
    asked = sys.argv[1:]
    for target, which in zip(asked[::2], asked[1::2], strict=True):
        if which == "metrics":
            write_metrics(Path(target) / "metrics.eval")
        else:
            {"killed": write_killed, "worked": write_worked, "all": write_all}[which](Path(target))
