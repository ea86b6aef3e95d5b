"""One command for a model: packaged benchmarks, sized, written, and looked at as they begin.

Belongs here: what comes before a run. Running a study is dagster_project/, the page of an audit is report/audit/.
"""
