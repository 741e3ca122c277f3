"""The viewer for one replay file: `python -m web.viewer.local FILE PORT [--open]`.

It shows the same page as the site does, without a ladder behind it. It listens on 127.0.0.1 alone
and ends with SIGINT or SIGTERM. `santiago replay view` starts it.
"""

import gc
import signal
import socket
import sys
import webbrowser
from os import strerror
from pathlib import Path

from flask import Flask, abort, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.serving import WSGIRequestHandler, make_server

from referee.errors import ReplayError
from referee.replay import file_bytes, read, verify
from web import delivery, formats, languages, parameters, reasons, security
from web.viewer import boards
from web.viewer.replays import document_answer, file_answer
from web.viewer.stills import still

_HOST = "127.0.0.1"
_OWN_NAMES = (_HOST, "localhost")


def create_local_app(name: str, data: bytes) -> Flask:
    """Create the application for a replay file. Raises ReplayError, also if verifying it fails."""
    record = read(data)
    verify(record)
    app = Flask("web")
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    for part in (security, languages, reasons, formats, delivery, boards):
        part.init_app(app)
    app.before_request(_refuse_other_hosts)

    @app.get("/")
    def page() -> ResponseReturnValue:
        players = [seat.name for seat in record.seats]
        shown = still(data, parameters.moment() or 0, languages.language())
        return render_template("replays/local.html", name=name, players=players, still=shown)

    @app.get("/frames")
    def frames() -> ResponseReturnValue:
        return document_answer(data)

    @app.get("/replay.santiago")
    def download() -> ResponseReturnValue:
        return file_answer(data, "replay.santiago")

    return app


class _Quiet(WSGIRequestHandler):
    """A request handler that does not print every request."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


def _refuse_other_hosts() -> None:
    """Refuse pages of other sites whose name was made to resolve to this machine."""
    if request.host.rsplit(":", 1)[0] not in _OWN_NAMES:
        abort(400)


def main(file: Path, port: int, *, show: bool) -> None:
    """Serve the file until a signal ends it, and print the address. Port 0 picks a free one."""
    try:
        app = create_local_app(file.name, file_bytes(file))
    except (ReplayError, OSError) as error:
        sys.exit(f"Error: {file}: {error}")
    try:
        listener = socket.create_server((_HOST, port))
    except OSError as error:
        told = f"Nothing can listen on {_HOST}:{port}: {strerror(error.errno or 0)}."
        sys.exit(f"Error: {told} Choose another port with --port, or leave it out.")
    with listener:
        server = make_server(
            _HOST, port, app, threaded=True, request_handler=_Quiet, fd=listener.fileno()
        )
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    gc.freeze()  # else its end takes a second more: all that was imported is looked through
    address = f"http://{_HOST}:{server.port}/"
    print(f"{file.name}: {address}  (Ctrl-C ends it)", flush=True)
    if show:
        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), show="--open" in sys.argv[3:])
