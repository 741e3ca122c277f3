"""The threads of the production server, which do not wait for ever for the rest of a request."""

from __future__ import annotations

from contextlib import suppress
from socket import SHUT_RDWR
from time import monotonic
from typing import Any, Final

from gunicorn.workers.gthread import ThreadWorker

WHOLE_WITHIN: Final = 20.0
"""Seconds that a request may take to come, with its body."""
_BODY: Final = frozenset({"CONTENT-LENGTH", "TRANSFER-ENCODING"})


class PatientWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """A request that has begun holds a thread: where the rest does not come in time, its connection
    is cut. What answers a request without a body may take as long as it likes: streams do."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._until: dict[Any, float] = {}  # by connection

    def handle(self, conn: Any) -> Any:
        self._until[conn] = monotonic() + WHOLE_WITHIN
        try:
            return super().handle(conn)
        finally:
            self._until.pop(conn, None)

    def handle_request(self, req: Any, conn: Any) -> Any:
        if _BODY.isdisjoint(name for name, _ in req.headers):
            self._until.pop(conn, None)
        return super().handle_request(req, conn)

    def notify(self) -> None:
        """Called by the main thread about once a second."""
        super().notify()
        now = monotonic()
        for conn, until in list(self._until.items()):
            if now >= until:
                with suppress(OSError):  # it has hung up
                    conn.sock.shutdown(SHUT_RDWR)
