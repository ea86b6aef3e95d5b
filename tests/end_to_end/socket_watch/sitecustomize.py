"""Imported by every Python process of a run under test: writes down each address that is not loopback."""

import ipaddress
import os
import socket
import sys
from pathlib import Path

WATCHED = Path(os.environ["PLUMBLINE_SOCKET_LOG"])


def _is_loopback(host):
    if host in (None, "", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(host if isinstance(host, str) else host.decode()).is_loopback
    except ValueError:
        return False


def _watch(event, arguments):
    host = None
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    elif event == "socket.gethostbyname":
        host = arguments[0]
    else:
        return
    if not _is_loopback(host) and host != socket.gethostname():
        with WATCHED.open("a", encoding="utf-8") as log:
            log.write(f"{event} {host} {sys.argv}\n")


sys.addaudithook(_watch)
