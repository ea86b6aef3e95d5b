"""Ask the query of every chart of a bundle that Superset has imported, without a server; runs in its environment.

The bundle is imported once more, so that all of it is replaced: it must make nothing that is not there already.
"""

import sys
from typing import Any
from zipfile import ZipFile

from superset.app import create_app

ADMIN = "admin"


def main(bundle: str) -> None:
    with create_app().app_context():
        from superset import security_manager
        from superset.utils.core import override_user

        with override_user(security_manager.find_user(ADMIN)):
            before = _charts()
            _replace(bundle)
            if before != _charts():
                sys.exit("importing the bundle again makes other charts than the first time")
            _ask()


def _charts() -> list[tuple[int, str]]:
    from superset import db
    from superset.models.slice import Slice

    return sorted((chart.id, str(chart.uuid)) for chart in db.session.query(Slice).all())


def _replace(path: str) -> None:
    from superset.commands.importers.v1.assets import ImportAssetsCommand
    from superset.commands.importers.v1.utils import get_contents_from_bundle

    with ZipFile(path) as bundle:
        ImportAssetsCommand(get_contents_from_bundle(bundle)).run()


def _ask() -> None:
    from superset import db
    from superset.models.dashboard import Dashboard

    (dashboard,) = db.session.query(Dashboard).all()
    failed = []
    for chart in dashboard.slices:
        told = _answer(chart)
        print(f"  {chart.slice_name} ({chart.viz_type}): {told if isinstance(told, str) else f'{told:,} rows'}")
        if isinstance(told, str):
            failed.append(chart.slice_name)
    if failed:
        sys.exit(f"{len(failed)} of {len(dashboard.slices)} charts have no answer")
    print(f"{dashboard.dashboard_title} has an answer to all of its {len(dashboard.slices)} charts")


def _answer(chart: Any) -> int | str:
    """How many rows the query of a chart has, or why none came; a filter that is not taken is no answer either."""
    from superset.commands.chart.data.get_data_command import ChartDataCommand

    try:
        (found,) = ChartDataCommand(chart.get_query_context()).run()["queries"]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    rejected = [one["column"] for one in found.get("rejected_filters", [])]
    return f"filters that are not taken: {rejected}" if rejected else int(found["rowcount"])


if __name__ == "__main__":
    main(sys.argv[1])
