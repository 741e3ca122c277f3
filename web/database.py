"""The request's session of the ladder's database."""

from flask import Flask, current_app, g
from sqlalchemy.orm import Session, sessionmaker

from ladder.config import Settings
from ladder.model import check_schema, engine, session_factory

_SESSIONS = "santiago.sessions"


def init_app(app: Flask, settings: Settings) -> None:
    """Give the application its engine and close each request's session with the request.

    Raises SettingsError where the tables are not those of this version.
    """
    check_schema(settings.database_url)
    app.extensions[_SESSIONS] = session_factory(engine(settings.database_url))
    app.teardown_appcontext(_close)


def sessions(app: Flask) -> sessionmaker[Session]:
    """Makes sessions for threads that serve no request."""
    made: sessionmaker[Session] = app.extensions[_SESSIONS]
    return made


def session() -> Session:
    """The request's session, opened on first use."""
    if "session" not in g:
        g.session = current_app.extensions[_SESSIONS]()
    opened: Session = g.session
    return opened


def _close(_error: BaseException | None) -> None:
    opened: Session | None = g.pop("session", None)
    if opened is not None:
        opened.close()
