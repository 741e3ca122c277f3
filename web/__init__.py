"""The site: pages, a JSON API and the replay viewer. Reads and writes through `ladder` alone."""

from flask import Flask

from ladder.config import Settings
from web import (
    api,
    bots,
    database,
    errors,
    formats,
    health,
    matches,
    replays,
    security,
    standings,
    tournaments,
)

__all__ = ["create_app"]


def create_app(settings: Settings | None = None) -> Flask:
    """The application; without settings those of the environment. Raises SettingsError."""
    app = Flask(__name__)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    database.init_app(app, settings or Settings.from_environment())
    for part in (security, errors, formats):
        part.init_app(app)
    for feature in (standings, bots, matches, replays, tournaments, api, health):
        app.register_blueprint(feature.blueprint)
    return app
