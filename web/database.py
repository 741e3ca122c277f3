"""The database session of a request, and the check that the database answers."""

import logging
from collections.abc import Iterator
from errno import ECONNRESET
from itertools import islice
from typing import Any, Final, TypeVar

from flask import Blueprint, Flask, current_app, g, jsonify, redirect, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder.config import Settings
from ladder.model import OUT_OF_REACH, check_schema, engine, now, own_words, session_factory
from ladder.parts import Part, Role, SignsOfLife
from web.traffic import shown_path

blueprint = Blueprint("health", __name__)
_log = logging.getLogger(__name__)
_Piece = TypeVar("_Piece")

_TIMEOUT: Final = 30.0  # seconds that a page waits for a statement at most
_SESSIONS = "santiago.sessions"
_SIGNS = "santiago.signs"


def init_app(app: Flask, settings: Settings) -> None:
    """Create the application's engine; close each request's session when the request ends.

    Raises SettingsError if the tables are not those of this version.
    """
    check_schema(settings.database_url)
    made = engine(settings.database_url, _TIMEOUT, for_people=True)
    app.extensions[_SESSIONS] = session_factory(made)
    app.teardown_appcontext(_close)


def live(app: Flask) -> SignsOfLife:
    """Give this process's signs of life from now on; the caller closes them."""
    signs = SignsOfLife(Part(Role.SITE), sessions(app))
    app.extensions[_SIGNS] = signs
    return signs


def sessions(app: Flask) -> sessionmaker[Session]:
    """Return the factory of sessions, for threads that serve no request."""
    made: sessionmaker[Session] = app.extensions[_SESSIONS]
    return made


def session() -> Session:
    """Return the request's session, opened on first use."""
    if "session" not in g:
        g.session = current_app.extensions[_SESSIONS]()
    opened: Session = g.session
    return opened


def commit_and_show(endpoint: str, **values: Any) -> ResponseReturnValue:
    """Commit what a form has changed, and lead to the page that shows it."""
    session().commit()
    return redirect(url_for(endpoint, **values), 303)


def whole_or_cut(pieces: Iterator[_Piece]) -> Iterator[_Piece]:
    """Read an answer's first piece now, the others while it is sent.

    If the database is lost meanwhile, cut the connection: it is too late for a page that says so,
    but nobody takes what came for the whole. Raises what the first piece raises.
    """
    path, first = shown_path(request.environ), list(islice(pieces, 1))

    def read() -> Iterator[_Piece]:
        try:
            yield from first
            yield from pieces
        except OUT_OF_REACH as error:
            why = own_words(error)
            _log.error("%s: cut, since the database does not answer: %s", path, why)
            raise ConnectionResetError(ECONNRESET, why) from None

    return read()


@blueprint.get("/healthz")
def healthz() -> ResponseReturnValue:
    """Answer 200 if a page could be served; 503 while the database, or this process, is silent."""
    signs: SignsOfLife | None = current_app.extensions.get(_SIGNS)
    if signs is not None and signs.silent:
        return jsonify({"status": "the site gives no sign of life"}), 503
    try:
        now(session())
    except SQLAlchemyError:
        return jsonify({"status": "the database does not answer"}), 503
    return jsonify({"status": "ok"})


def _close(_error: BaseException | None) -> None:
    """Close the request's session; the answer stands, even if the connection is lost by now."""
    opened: Session | None = g.pop("session", None)
    if opened is None:
        return
    try:
        opened.close()
    except SQLAlchemyError as error:
        why = own_words(error)
        _log.error("the connection to the database was lost when the request ended: %s", why)
        opened.invalidate()
