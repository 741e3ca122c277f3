"""The production server: gunicorn with one process of threads, started by `python -m web`.

The environment sets where it listens (SANTIAGO_HOST, SANTIAGO_PORT) and, by gunicorn's own
WEB_CONCURRENCY, the number of processes; one is enough for a ladder on one machine.
"""

import gc
from contextlib import suppress
from socket import SHUT_RDWR
from time import monotonic
from typing import Any, Final

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.errors import AppImportError
from gunicorn.workers.gthread import ThreadWorker

from ladder.config import Environment
from ladder.errors import SettingsError
from web import create_app
from web.viewer.hub import EXTENSION, SPECTATORS

REQUEST_TIMEOUT: Final = 20.0
"""Seconds in which a request has to arrive, with its body."""
_BODY: Final = frozenset({"CONTENT-LENGTH", "TRANSFER-ENCODING"})


class PatientWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Cut connections whose request does not arrive in time: each one holds a thread.

    The answer to a request without a body may take any time: live streams do.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._deadlines: dict[Any, float] = {}  # by connection

    def handle(self, conn: Any) -> Any:
        """Serve a connection."""
        self._deadlines[conn] = monotonic() + REQUEST_TIMEOUT
        try:
            return super().handle(conn)
        finally:
            self._deadlines.pop(conn, None)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer a request once its head has arrived."""
        if _BODY.isdisjoint(name for name, _ in req.headers):
            self._deadlines.pop(conn, None)
        return super().handle_request(req, conn)

    def notify(self) -> None:
        """Cut late connections; the main thread calls this about once a second."""
        super().notify()
        now = monotonic()
        for conn, deadline in list(self._deadlines.items()):
            if now >= deadline:
                with suppress(OSError):  # the client has closed the connection already
                    conn.sock.shutdown(SHUT_RDWR)


def _post_worker_init(worker: Any) -> None:
    """End streams when the server has to stop, so that they do not delay it.

    Objects loaded by now live as long as the process. Freezing them keeps them out of garbage
    collections, which would otherwise take as long as a page.
    """
    gc.collect()
    gc.freeze()
    worker.wsgi.extensions[EXTENSION].serves = lambda: worker.alive


class _Site(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn with our settings, whatever the folder holds that it is started from."""

    def load_config(self) -> None:
        given = Environment.from_environment()
        settings = {
            "bind": f"{given.host}:{given.port}",
            "worker_class": PatientWorker,
            "threads": SPECTATORS + 16,  # a spectator's stream holds one and sleeps
            "keepalive": 30,
            "graceful_timeout": 10,  # seconds for running requests after the order to stop
            "control_socket_disable": True,  # it would open a socket in the user's home folder
            "post_worker_init": _post_worker_init,
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        try:
            return create_app()
        except SettingsError as error:
            raise AppImportError(f"Error: {error}") from None  # shown without a traceback


def serve() -> None:
    """Serve the site until a signal ends it."""
    _Site().run()
