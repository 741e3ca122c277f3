"""`python -m tests.web.hasty`: the production server with few threads, and in a hurry.

It waits for two seconds. With GATE set, to verify a password waits until that pipe is opened.
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
    server["REQUEST_TIMEOUT"] = server["READING_GRACE"] = 2.0
    server["SLOW_READERS"], server["THREADS"] = 2, THREADS
    runpy.run_module("web", run_name="__main__")
