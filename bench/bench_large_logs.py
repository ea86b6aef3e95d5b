"""Seconds and memory of reading logs larger than memory: how much of a log of 1 GB is held at once.

    python -m bench.bench_large_logs [MB]

Made here: a log of Inspect whose transcripts, and a log of lm_eval whose given answers, are most of it, as in logs of
agents and of multiple choice. Texts that are imported are held whole: prompts and answers of 1 GB need more.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from zipfile import ZIP_STORED, ZipFile

import yaml

from python_assets.importers.formats import read_import
from python_assets.sandbox.sandbox import dismiss
from python_assets.study_file.load import load_study

MB = 1024**2
SAMPLE_BYTES = MB  # of a transcript, of which an agent's is larger
WORDS = "The committee of the town considers what the applicant wrote in the letter. "


def main() -> None:
    """Print a row for each kind of log."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mb", nargs="?", type=int, default=1_000, help="of the log")
    n_mb = parser.parse_args().mb
    print("| log | MB | responses | in quarantine | seconds | peak MB here | peak MB of the worker |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for write in (write_lm_eval, write_inspect):
        # each in a process of its own: a peak is that of a whole process
        subprocess.run(
            [sys.executable, "-c", f"from bench.bench_large_logs import *; measure({write.__name__}, {n_mb})"]
        )


def measure(write, n_mb: int) -> None:
    """Write a log, read it, and print its row."""
    with tempfile.TemporaryDirectory() as folder:
        study_path = Path(folder) / "study.yml"
        spec, n_bytes = write(Path(folder), n_mb * MB)
        imported = {"import": {**spec, "factors": {"gender": "gender"}}}
        content = {"prompts": imported, "systems": [{"name": "*", "provider": "replay"}]}
        study_path.write_text(yaml.safe_dump(content), encoding="utf-8")
        started = perf_counter()
        read = read_import(load_study(study_path))
        seconds = perf_counter() - started
    dismiss()
    here, worker = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    counts = f"{len(read.rows):,} | {len(read.quarantine):,}"
    print(
        f"| {spec['format']} | {n_bytes / MB:,.0f} | {counts} | {seconds:.0f} | {here:.0f} | {worker:.0f} |", flush=True
    )


def write_lm_eval(folder: Path, n_bytes: int) -> tuple[dict[str, str], int]:
    """Items of multiple choice, whose context stands there once for every answer."""
    name = "samples_hiring_2026-01-01T00-00-00.jsonl"
    context, n_items = WORDS * 40, 0
    with (folder / name).open("w", encoding="utf-8") as log:
        while log.tell() < n_bytes:
            answers = {f"gen_args_{at}": {"arg_0": f"{n_items} {context}", "arg_1": f" {at}"} for at in range(8)}
            line = {"doc_id": n_items, "doc": {"gender": ("she", "he")[n_items % 2]}, "arguments": answers}
            line |= {"resps": [[["-1.5", "False"]]] * 8, "filtered_resps": [["-1.5", "False"]] * 8, "filter": "none"}
            log.write(json.dumps(line | {"target": "0", "metrics": ["acc"], "acc": n_items % 3 == 0}) + "\n")
            n_items += 1
    results = {
        "model_name": "made",
        "lm_eval_version": "0.4.13",
        "configs": {"hiring": {"output_type": "multiple_choice", "metric_list": [{"metric": "acc"}]}},
        "results": {"hiring": {"acc,none": 0.33}},
        "n-samples": {"hiring": {"effective": n_items}},
    }
    (folder / "results_2026-01-01T00-00-00.json").write_text(json.dumps(results), encoding="utf-8")
    return {"format": "lm_eval", "path": name}, (folder / name).stat().st_size


def write_inspect(folder: Path, n_bytes: int) -> tuple[dict[str, str], int]:
    """Samples whose transcripts are not imported."""
    n_samples = max(1, n_bytes // SAMPLE_BYTES)
    ids = [f"s{at}" for at in range(n_samples)]
    at = "2026-01-01T00:00:00+00:00"
    spec = {"run_id": "r", "created": at, "task": "hiring", "task_id": "t", "task_version": 0, "task_file": None}
    spec |= {
        "dataset": {"name": "people", "samples": n_samples, "sample_ids": ids},
        "model": "made/model",
        "config": {},
    }
    event = {"event": "info", "timestamp": at, "working_start": 0.0, "data": WORDS * 200}
    events = [event] * (SAMPLE_BYTES // len(json.dumps(event)))
    path, summaries = folder / "large.eval", []
    with ZipFile(path, "w", ZIP_STORED) as log:
        log.writestr("_journal/start.json", json.dumps({"version": 2, "eval": spec, "plan": {}}))
        for number, sample_id in enumerate(ids):
            shared = {"id": sample_id, "epoch": 1, "input": f"Should {sample_id} be hired?", "target": "yes"}
            shared |= {"metadata": {"gender": ("she", "he")[number % 2]}, "scores": {"match": {"value": number % 2}}}
            message = {"role": "assistant", "content": "yes", "source": "generate"}
            output = {"model": "made/model", "choices": [{"message": message, "stop_reason": "stop"}]}
            sample = shared | {"messages": [], "output": output, "store": {}, "events": events, "attachments": {}}
            log.writestr(f"samples/{sample_id}_epoch_1.json", json.dumps(sample))
            summaries.append(shared | {"completed": True})
        log.writestr("summaries.json", json.dumps(summaries))
        log.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": spec, "plan": {}}))
    return {"format": "inspect", "path": path.name}, path.stat().st_size


if __name__ == "__main__":
    main()
