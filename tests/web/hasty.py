"""`python -m tests.web.hasty`: the production server with few threads, and in a hurry.

It waits for two seconds; with PATIENT set for an hour. With GATE set, to verify a password waits
until that pipe is opened.
"""

import os
import runpy
from pathlib import Path

import web.server
from ladder.people import passwords

THREADS = 10


def _verify(_stored: str | None, _password: str) -> bool:
    with Path(os.environ["GATE"]).open():
        return False


if __name__ == "__main__":
    if "GATE" in os.environ:
        vars(passwords)["verify"] = _verify
    server = vars(web.server)
    server["REQUEST_TIMEOUT"] = 3600.0 if "PATIENT" in os.environ else 2.0
    server["READING_GRACE"] = 2.0
    server["SLOW_READERS"], server["SLOW_WRITERS"], server["THREADS"] = 2, 2, THREADS
    runpy.run_module("web", run_name="__main__")
