"""Settings of the production server, gunicorn: `python -m web`.

The environment says where it listens (SANTIAGO_HOST, SANTIAGO_PORT) and, by gunicorn's own
WEB_CONCURRENCY, in how many processes; one is enough for a ladder on one machine.
"""

import gc
import os
from typing import Any

from web.live.house import EXTENSION
from web.live.hub import SPECTATORS

bind = f"{os.environ.get('SANTIAGO_HOST', '127.0.0.1')}:{os.environ.get('SANTIAGO_PORT', '8000')}"
worker_class = "web.patience.PatientWorker"
threads = SPECTATORS + 16
"""A spectator's stream holds a thread, which sleeps; the others are for pages."""
keepalive = 30
graceful_timeout = 10
"""Seconds that requests under way get when the server is told to end."""
control_socket_disable = True
"""Otherwise it would listen for orders in the home folder of whoever runs it."""


def post_worker_init(worker: Any) -> None:
    """Let streams end when the server is told to, instead of holding it up.

    What has been loaded by now stays: no collection of garbage need go through it, which takes as
    long as a page.
    """
    gc.collect()
    gc.freeze()
    worker.wsgi.extensions[EXTENSION].serves = lambda: worker.alive
