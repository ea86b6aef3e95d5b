"""Whether a program that ended left a process behind."""

import subprocess


def left_of_session(session):
    """What is left of a session; a helper of multiprocessing sees a moment late that its parent is gone."""
    for _ in range(100):
        listed = subprocess.run(["ps", "-eo", "sess=,stat=,args="], capture_output=True, text=True, check=True).stdout
        processes = [line.split(maxsplit=2) for line in listed.splitlines()]
        left = [args for found, state, args in processes if found == str(session) and not state.startswith("Z")]
        if not left:
            break
    return left
