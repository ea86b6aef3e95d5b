"""One command for a model: ready studies from the shelf, sized, written, and looked at as they begin.

Belongs here: what comes before a run. Running a study is dagster_project/, the page of an audit is report/audit/.
"""
