"""The site: pages, a JSON API and the replay viewer. Reads and writes through `ladder` alone."""

from flask import Flask

from ladder.config import Settings
from ladder.secrets import SecretBox
from web import (
    accounts,
    addresses,
    api,
    bots,
    database,
    documents,
    errors,
    formats,
    forms,
    game_rules,
    health,
    identity,
    kept_parts,
    languages,
    limits,
    live,
    matches,
    operator,
    proxies,
    replays,
    security,
    standings,
    switch,
    terms,
    tournaments,
)

__all__ = ["create_app"]


def create_app(settings: Settings | None = None, box: SecretBox | None = None) -> Flask:
    """The application; without settings and keys those of the environment. Raises SettingsError."""
    settings = settings or Settings.from_environment()
    app = Flask(__name__)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    database.init_app(app, settings)
    limits.init_app(app, settings.redis_url)
    live.init_app(app, settings.redis_url)
    forms.init_app(app, box or SecretBox.from_environment())
    for part in (proxies, security, errors, languages, terms, formats, identity):
        part.init_app(app)
    for made_fast in (addresses, kept_parts):
        made_fast.init_app(app)
    features = (
        standings,
        matches,
        replays,
        tournaments,
        health,
        switch,
        documents,
        game_rules,
        *live.parts,
        *bots.parts,
        *accounts.parts,
        *operator.parts,
    )
    for feature in features:
        app.register_blueprint(feature.blueprint)
    api.init_app(app)
    return app
