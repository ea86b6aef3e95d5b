#!/bin/sh
# Imports the dashboards of a publication into a fresh Superset, in an environment of its own, and asks every chart.
# usage: bench/check_superset.sh [HOME]; the warehouse, whose published database is read: warehouse/ without it
set -eu
bench=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-$(dirname "$bench")/.venv/bin/python}
home=$(cd "${1:-$(dirname "$bench")/warehouse}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$bench/.." && PLUMBLINE_HOME=$home "$python" -m python_assets.cli dashboards --superset "$work/plumbline.zip")

"$python" -m venv "$work/superset"
# the pins of README.md, Connect a BI tool
"$work/superset/bin/python" -m pip install --quiet --disable-pip-version-check --prefer-binary \
    'apache-superset==6.1.0' 'duckdb-engine==0.17.0' 'flask-caching<2.4' cachetools rich
printf 'SECRET_KEY = "of a check alone, which nobody logs in to"\nSQLALCHEMY_DATABASE_URI = "sqlite:///%s/superset.db"\n' \
    "$work" >"$work/superset_config.py"
export SUPERSET_CONFIG_PATH="$work/superset_config.py" FLASK_APP=superset
superset() {
    "$work/superset/bin/superset" "$@" >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
}
superset db upgrade
superset fab create-admin --username admin --firstname A --lastname B --email a@example.org --password admin
superset init
superset import-dashboards --path "$work/plumbline.zip" --username admin
"$work/superset/bin/python" "$bench/check_superset.py" "$work/plumbline.zip" 2>"$work/log" || {
    tail -20 "$work/log" >&2
    exit 1
}
