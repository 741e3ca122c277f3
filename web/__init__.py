"""The site: pages, a JSON API and the replay viewer. Reads and writes through `ladder` alone.

Pages:
- `home`, `standings`, `matches`, `tournaments`, `search`, `documents`, `downloads`: for everybody.
- `bots`: of bots and authors; `own_bots`, `submissions`, `packages`: of an author's own bots.
- `entrance`, `accounts`: signing in, and users; `operator`: for admins.
- `play`: games of people.
- `lesson/`: how to play; `puzzles`: find the best choice.
- `viewer/`: replays, running games, boards, analyses.
- `crawlers`: what programs ask for unbidden; `api/`: the JSON API.

What pages are made with:
- `languages`, `words/`, `catalogues`: sentences in each language, the game's words, translations.
- `reasons`: why something does not play, translated.
- `addresses`, `parameters`: what an address says.
- `formats`, `charts`, `drawing/`, `frames`: numbers, charts, the board, the moments of a game.
- `caching`, `delivery`: large pages made cheap; static files, compressed answers.

What guards and runs the site:
- `identity`, `security`, `guesses`, `limits`: who asks, and how much may be asked.
- `database`, `errors`, `traffic`: the session of a request, what went wrong, counts and logs.
- `server`, `__main__`: the production server; `first_looks`: its dearest pages, asked for at once.
"""

from typing import Final

from flask import Flask

from ladder.config import Settings
from ladder.secrets import SecretBox
from web import (
    accounts,
    addresses,
    bots,
    caching,
    crawlers,
    database,
    delivery,
    documents,
    downloads,
    entrance,
    errors,
    formats,
    guesses,
    identity,
    languages,
    lesson,
    limits,
    matches,
    operator,
    own_bots,
    packages,
    play,
    puzzles,
    reasons,
    search,
    security,
    standings,
    submissions,
    tournaments,
)
from web.api import description
from web.viewer import analyses, boards, following, hub, replays, tables, watching

__all__ = ["create_app"]


_FEATURES: Final = (
    standings,
    matches,
    replays,
    analyses,
    boards,
    tournaments,
    database,
    addresses,
    crawlers,
    search,
    documents,
    downloads,
    watching,
    following,
    bots,
    own_bots,
    submissions,
    packages,
    play,
    puzzles,
    lesson,
    entrance,
    accounts,
    operator,
)
"""The modules with pages; the first ones are looked into first."""


def create_app(settings: Settings | None = None, box: SecretBox | None = None) -> Flask:
    """Create the application, by default with the environment's settings and keys.

    Raises SettingsError.
    """
    settings = settings or Settings.from_environment()
    app = addresses.Site(__name__)
    app.url_map.merge_slashes = False  # an address with an empty part is mistyped
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    database.init_app(app, settings)
    limits.init_app(app, settings.redis_url)
    hub.init_app(app, settings.redis_url)
    tables.init_app(app)
    box = box or SecretBox.from_environment()
    packages.init_app(app)
    security.protect_forms(app, box)
    guesses.init_app(app, box)
    security.trust_proxies(app)
    security.trust_hosts(app)
    parts = (security, errors, languages, addresses, formats, reasons, identity, caching, delivery)
    for part in (*parts, downloads, boards, analyses):
        part.init_app(app)
    for feature in _FEATURES:
        app.register_blueprint(feature.blueprint)
    description.init_app(app)
    return app
