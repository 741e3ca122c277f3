"""Take the first look at the dearest pages before a process serves, so that no visitor has to.

A page reads more when it is first asked for: its templates are compiled, and what all visitors
share is counted and drawn. The overview and tournaments of thousands of matches take longest.
"""

from threading import Thread
from typing import Final

from flask import Flask
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.test import Client

from ladder.contests.tournaments import lookup
from web import database

_VISITOR: Final = "santiago.first_looks"
_PAGES: Final = ("/", "/matches", "/docs")
_NEWEST: Final = 64  # tournaments: as many as have their tables kept
_TIMEOUT: Final = 5.0  # seconds
_LARGE: Final = 2_000  # matches of a tournament with a result


def init_app(app: Flask) -> None:
    """Let looks ask what `app` is now: what wraps it later, such as counts and a log, has none."""
    app.extensions[_VISITOR] = Client(app.wsgi_app)


def take(app: Flask) -> None:
    """Ask for the pages. What takes longer than some seconds goes on beside the first visitors."""
    thread = Thread(target=_look, args=(app,), name="first-looks", daemon=True)
    thread.start()
    thread.join(_TIMEOUT)


def _look(app: Flask) -> None:
    for page in (*_PAGES, *_large_tournaments(app)):
        app.extensions[_VISITOR].get(page).close()


def _large_tournaments(app: Flask) -> list[str]:
    try:
        with database.sessions(app)() as session:
            newest = lookup.page(session, limit=_NEWEST)
    except SQLAlchemyError:  # the pages tell it
        return []
    return [f"/tournaments/{found.id}" for found in newest if found.finished > _LARGE]
