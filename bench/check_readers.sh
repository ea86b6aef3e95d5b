#!/bin/sh
# Reads a publication, through the link of its database, with old drivers, each in an environment of its own.
# usage: bench/check_readers.sh [PUBLISHED]; without one, made-up studies of the paper's scale are published and read
set -eu
bench=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-$(dirname "$bench")/.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

published=${1:-$work/home/plumbline.duckdb}
if [ $# -eq 0 ]; then
    (cd "$bench/.." && "$python" -m bench.make_published "$work/home")
fi
for version in 1.0.0 1.1.3; do
    "$python" -m venv "$work/$version"
    "$work/$version/bin/python" -m pip install --quiet --disable-pip-version-check "duckdb==$version"
    "$work/$version/bin/python" "$bench/check_readers.py" "$published"
done
