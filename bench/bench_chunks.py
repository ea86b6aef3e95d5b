"""Seconds, CPU and memory of the SQL's first half and of inference in parts, in this process and on Ray.

    python -m bench.bench_chunks [--systems 20] [--chunks 1 3 6] [--ray 2] [--root-prompts 75] [--levels 21]

Made-up raw tables of `bench.make_raw`, 69,300 measurements a generation where nothing else is said. Each row of the
table is a process of its own, so that its peak is its own. Peaks are of the largest process, CPU is of all: parts have
processes of their own, one a core; of workers of Ray seconds alone are printed.
"""

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from bench.bench_gate import bench_study
from bench.inference_stages import make_before_inference
from bench.make_raw import Scale, make_raw
from python_assets.cluster.cluster import LOCAL, Cluster
from python_assets.infer.chunks.on_ray import OnRay
from python_assets.infer.chunks.processes import chunks_here
from python_assets.infer.run import infer_study
from python_assets.transform.compile import compiled_project
from python_assets.warehouse.build import open_build


def made(path: Path, scale: Scale) -> None:
    n_rows = make_raw(path, scale, seed=1)
    print(f"\n{n_rows['measurements']:,} measurements\n")
    print("| stage | seconds | CPU | peak GB |\n|---|---|---|---|", flush=True)


def transformed(path: Path) -> None:
    make_before_inference(path)


def in_chunks(path: Path, n: int) -> None:
    with open_build(path) as connection, chunks_here(connection, bench_study(), n=n) as chunks:
        infer_study(connection, bench_study(), chunks=chunks)


def on_ray(path: Path, n: int) -> None:
    with open_build(path) as connection, Cluster(LOCAL) as cluster:
        chunks = OnRay(connection, bench_study(), cluster, str(path.parent / "chunks"), n=n)
        infer_study(connection, bench_study(), chunks=chunks)
        print(f"parts on Ray took {', '.join(f'{seconds:.1f}' for seconds in chunks.seconds)} s", file=sys.stderr)
        chunks.close()


STAGES = {"dbt": transformed, "chunks": in_chunks, "ray": on_ray}


def stage(name: str, path: Path, *given: int) -> None:
    """Run one stage in this process and print its row."""
    started, cpu = perf_counter(), process_time()
    STAGES[name](path, *given)
    of_all = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds, cpu = perf_counter() - started, process_time() - cpu + of_all[1].ru_utime + of_all[1].ru_stime
    peak = max(one.ru_maxrss for one in of_all) / 1024**2
    said = {"dbt": "SQL, first half", "chunks": "inference in {} parts", "ray": "inference on Ray in {} parts"}[name]
    print(f"| {said.format(*given)} | {seconds:.1f} | {cpu:.1f} | {peak:.2f} |", file=sys.stderr, flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    for name, default in (("systems", 20), ("root-prompts", 75), ("levels", 21)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--chunks", type=int, nargs="*", default=[1, 3, 6])
    parser.add_argument("--ray", type=int, nargs="*", default=[])
    parser.add_argument("--stage", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.stage:
        name, path, *numbers = given.stage
        stage(name, Path(path), *map(int, numbers))
        return
    compiled_project()
    with tempfile.TemporaryDirectory(prefix="bench-chunks-") as folder:
        path = Path(folder) / "bench.duckdb"
        scale = Scale(n_systems=given.systems, n_root_prompts=given.root_prompts, n_levels=given.levels)
        made(path, scale)
        called = [["dbt", str(path)], *(["chunks", str(path), str(n)] for n in given.chunks)]
        for one in [*called, *(["ray", str(path), str(n)] for n in given.ray)]:
            command = [sys.executable, "-m", "bench.bench_chunks", "--stage", *one]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(path.parent / "chunks", ignore_errors=True)


if __name__ == "__main__":
    main()
