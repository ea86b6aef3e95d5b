"""How many threads compute, for numpy's products and our own as for DuckDB."""

import os


def n_threads() -> int:
    """As many as OMP_NUM_THREADS says, else one a core."""
    return threads_told() or os.cpu_count() or 1


def threads_told() -> int | None:
    """What OMP_NUM_THREADS says; None where it says no number above 0."""
    first_number = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    return int(first_number) if first_number.isdecimal() and int(first_number) else None
