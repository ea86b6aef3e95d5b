"""Take the pictures of docs/gallery.md anew: of simulated reports, of an audit, and of Dagster's UI.

Needs a Chromium, a warehouse that holds what `make demo`, `plumbline run fair_sea_variants` and `make audit` write, and
the address of a UI over it (`plumbline ui`). Every picture is one screen of 1,200 by 850 points.

    python -m docs.make_gallery warehouse http://127.0.0.1:3000
"""

import argparse
import tempfile
import time
from pathlib import Path

from bench.chromium import Browser, browser

FOLDER = Path(__file__).parent / "pictures"
WIDTH, HEIGHT = 1200, 850
# by name of the picture: the report, and what its address is to show
REPORTS = {
    "report": ("g20_demo", ""),
    "report_groups": ("g20_demo", "figure-1"),
    "report_measurements": ("g20_demo", "measurements"),
    "report_fair_sea": ("fair_sea_variants", ""),
}
AUDIT = "audits/simulated/report.html"
PAGES_OF_UI = {"ui_responses": "/assets/raw/responses?view=partitions&partition=g20_demo"}
SECONDS = {"report": 1.5, "ui": 8.0}  # the report scrolls smoothly, the UI draws after it has loaded


def take(opened: Browser, name: str) -> None:
    """Keep what the screen shows now."""
    shot = FOLDER / f"{name}.png"
    opened.picture(shot, whole=False)
    print(f"{shot}: {shot.stat().st_size:,} bytes")


def main() -> None:
    """Every picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warehouse", type=Path)
    parser.add_argument("ui", help="the address of Dagster's UI over it")
    given = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, browser(Path(folder)) as opened:
        opened.send("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        opened.send("Emulation.setScrollbarsHidden", hidden=True)
        for name, (study, fragment) in REPORTS.items():
            opened.open((given.warehouse / "report" / f"{study}.html").resolve(), fragment)
            time.sleep(SECONDS["report"])
            take(opened, name)
        opened.open((given.warehouse / AUDIT).resolve(), scripts=False)
        take(opened, "audit")
        opened.send("Emulation.setScriptExecutionDisabled", value=False)
        for name, page in PAGES_OF_UI.items():
            opened.visit(given.ui.rstrip("/") + page)
            time.sleep(SECONDS["ui"])
            take(opened, name)


if __name__ == "__main__":
    main()
