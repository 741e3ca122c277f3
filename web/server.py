"""The production server: gunicorn with one process of threads, started by `python -m web`.

The environment sets where it listens (SANTIAGO_HOST, SANTIAGO_PORT) and, by gunicorn's own
WEB_CONCURRENCY, the number of processes; one is enough for a ladder on one machine.
"""

import gc
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from math import inf
from socket import SHUT_RDWR, SO_LINGER, SOL_SOCKET, socket
from struct import pack
from time import monotonic, sleep
from typing import Any, Final

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.glogging import Logger
from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import ParseException
from gunicorn.workers.gthread import ThreadWorker
from jinja2 import FunctionLoader

from ladder.config import Environment, Settings
from ladder.errors import SettingsError
from ladder.operating import logs
from ladder.variables import at_port
from web import create_app, database, errors, first_looks, packages, traffic
from web.guesses import AT_ONCE as ATTEMPTS
from web.viewer.hub import EXTENSION, SPECTATORS

REQUEST_TIMEOUT: Final = 20.0
"""Seconds in which a request has to arrive, with its body; uploads have more."""
LEAST_PACE: Final = 16 * 1024
"""Bytes that a client has to read in each second that an answer waits for it."""
READING_GRACE: Final = 20.0
"""Seconds that a client may take beyond that."""
READING_TIMEOUT: Final = 600.0
"""Seconds that an answer waits for its client, however long the answer is."""
SLOW_READERS: Final = 32
"""Answers that may wait for their clients longer than a moment, in one process."""
SLOW_WRITERS: Final = 32
"""Requests that may take longer than a moment to arrive, in one process; uploads are others."""
THREADS: Final = SPECTATORS + SLOW_READERS + SLOW_WRITERS + ATTEMPTS + packages.AT_ONCE + 32
"""Threads of a process. A spectator's stream holds one and sleeps; a slow reader or writer, an
upload, and somebody whose password waits for its turn, hold one, too. The others are for pages."""
_MOMENT: Final = 1.0  # seconds
_WAY: Final = 0.001  # seconds in which another process takes what a busy one would
_GARBAGE: Final = (10_000, 20, 50)
"""The thresholds of garbage collections: Python's own are for programs without caches."""
_RESET: Final = pack("ii", 1, 0)  # to linger for no time: what was not read is dropped


class ClientSocket(socket):
    """The socket of a client; it knows how long the client has kept its thread waiting."""

    def __init__(self, fileno: int) -> None:
        super().__init__(fileno=fileno)
        self.await_request()

    def await_request(self) -> None:
        """Begin to count: the next request has to arrive, then its answer has to be read."""
        self._due = monotonic() + REQUEST_TIMEOUT
        self._pace = 0.0
        self._body: Any = None
        self._sent = 0
        self._waited = 0.0
        self._waits_since = inf

    def await_body(self, reader: Any) -> None:
        """The head of the request has arrived; `reader` is gunicorn's for the body."""
        self._body = reader

    def await_large_body(self, pace: float) -> None:
        """Let the request arrive while it keeps this pace (bytes a second): the site admits it."""
        self._pace = pace

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Receive; each part of a large body gives time for the next."""
        data = super().recv(size, flags)
        if self._pace:
            self._due = min(self._due + len(data) / self._pace, monotonic() + REQUEST_TIMEOUT)
        return data

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Send all of it, and count the time in which the client did not read."""
        self._sent += len(data)
        self._waits_since = began = monotonic()
        try:
            super().sendall(data, flags)
        finally:
            self._waits_since = inf
            self._waited += monotonic() - began

    def waits(self, now: float) -> float:
        """Return for how long the answer has waited for the client to read on."""
        return max(0.0, now - self._waits_since)

    def arrives(self, now: float) -> float:
        """Return for how long the request has been arriving; an upload has been admitted for it."""
        if self._pace or self._has_arrived():
            return 0.0
        return max(0.0, now - self._due + REQUEST_TIMEOUT)

    def is_late(self, now: float) -> bool:
        """Return True if the request should have arrived by now, or the answer been read."""
        if now >= self._due and not self._has_arrived():
            return True
        allowed = min(READING_GRACE + self._sent / LEAST_PACE, READING_TIMEOUT)
        return (waits := self.waits(now)) > 0 and self._waited + waits > allowed

    def cut(self) -> None:
        """End the connection; the thread that waits for it goes on with an error."""
        with suppress(OSError):  # the client has closed it already
            self.setsockopt(SOL_SOCKET, SO_LINGER, _RESET)
            self.shutdown(SHUT_RDWR)

    def _has_arrived(self) -> bool:
        if self._body is None:
            return False
        if isinstance(self._body, ChunkedReader):
            return self._body.parser is None
        return bool(self._body.length == 0)


class PatientWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Cut clients that hold a thread for too long: each connection that is served has one.

    A client holds one until its request is complete, and while it does not read the answer. To
    make an answer may take any time: live streams do.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._served: set[ClientSocket] = set()

    def accept(self, listener: Any) -> None:
        """Take a new connection, unless a process of the site that has less to do does first.

        A client that is silent now may ask again: of idle processes one without any goes first.
        """
        if self.nr_conns and self.cfg.workers > 1:
            sleep(_WAY if self._served else _WAY / 2)
        super().accept(listener)

    def enqueue_req(self, conn: Any) -> None:
        """Let a thread serve a connection."""
        if not isinstance(conn.sock, ClientSocket):
            conn.sock = ClientSocket(conn.sock.detach())
        super().enqueue_req(conn)

    def handle(self, conn: Any) -> Any:
        """Serve a connection."""
        conn.sock.await_request()
        self._served.add(conn.sock)
        try:
            return super().handle(conn)
        finally:
            self._served.discard(conn.sock)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer a request once its head has arrived."""
        conn.sock.await_body(req.body.reader)
        return super().handle_request(req, conn)

    def finish_request(self, conn: Any, fs: "Future[Any]") -> None:
        """Keep a served connection, or close it.

        To close one takes up to two seconds if the client does not, so a thread does it: in
        gunicorn's main thread nobody else would be served meanwhile.
        """
        if self.alive and not fs.cancelled() and not fs.exception() and fs.result() is False:
            self.nr_conns -= 1
            self.tpool.submit(conn.close, graceful=True)
        else:
            super().finish_request(conn, fs)

    def notify(self) -> None:
        """Cut late clients; the main thread calls this about once a second.

        If too many requests arrive at once, or answers wait, those that have taken longest are cut,
        too.
        """
        super().notify()
        now = monotonic()
        served = list(self._served)
        cut = {client for client in served if client.is_late(now)}
        cut.update(_beyond(SLOW_READERS, {client: client.waits(now) for client in served}))
        cut.update(_beyond(SLOW_WRITERS, {client: client.arrives(now) for client in served}))
        for client in cut:
            client.cut()


def _beyond(most: int, seconds: Mapping[ClientSocket, float]) -> list[ClientSocket]:
    """Return those who keep a thread for more than a moment, but for the `most` newest of them."""
    slow = [client for client in seconds if seconds[client] > _MOMENT]
    return sorted(slow, key=seconds.__getitem__)[most:]


def _post_worker_init(worker: Any) -> None:
    """End streams when the server has to stop, so that they do not delay it.

    Objects loaded by now live as long as the process. Freezing them keeps them out of garbage
    collections, which would otherwise take as long as a page. Those of all that is kept for later
    pages take as long as two or three, so they come seldom.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GARBAGE)
    worker.wsgi.extensions[EXTENSION].serves = lambda: worker.alive
    worker.signs = database.live(worker.wsgi)
    traffic.serve_metrics(Settings.from_environment(), worker.cfg.workers)
    first_looks.take(worker.wsgi)


def _worker_exit(_: object, worker: Any) -> None:
    """Sign off, unless the process ends before it has begun."""
    if signs := getattr(worker, "signs", None):
        signs.close()


class _Logger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's own lines as all others, if they are JSON."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        if logs.as_json():
            for handler in self.error_log.handlers:
                handler.setFormatter(logs.formatter())


class _Site(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn with our settings, whatever the folder holds that it is started from."""

    def load_config(self) -> None:
        try:
            environment = Environment.from_environment()
            environment.check_metrics_ports()
        except SettingsError as error:
            logs.end(error.sentence)
        settings = {
            "bind": at_port(environment.host, environment.port),
            "worker_class": PatientWorker,
            "threads": THREADS,
            "sendfile": False,  # it would bypass `ClientSocket.sendall`
            "keepalive": 30,
            "forwarded_allow_ips": "",  # `web.security.trust_proxies` reads proxies' headers
            "graceful_timeout": 10,  # seconds for running requests after the order to stop
            "control_socket_disable": True,  # it would open a socket in the user's home folder
            "logger_class": _Logger,
            "post_worker_init": _post_worker_init,
            "worker_exit": _worker_exit,
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        try:
            app = create_app()
        except SettingsError as error:
            logs.end(error.sentence, Arbiter.APP_LOAD_ERROR)
        keep_templates(app)
        app.register_error_handler(ParseException, errors.unreadable)
        first_looks.init_app(app)
        traffic.watch(app, log=Environment.from_environment().access_log)
        return app


def keep_templates(app: Flask) -> None:
    """Read all templates now, so that an upgrade in place does not mix its own with this code."""
    environment = app.jinja_env
    loader: Any = environment.loader
    kept = {}
    for name in environment.list_templates():
        text, file, _ = loader.get_source(environment, name)
        kept[name] = text, file, lambda: True
    environment.loader = FunctionLoader(kept.get)


def serve() -> None:
    """Serve the site until a signal ends it."""
    logs.log_to_stderr()
    _Site().run()
