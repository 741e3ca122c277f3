"""The JSON API, version 1: the same as the pages, for programs and for the pages' scripts.

Each call is an operation (`web.api.operations`) that calls the ladder's function of the same name
as the page and the command do. `/api/v1/openapi.json` describes them all.
"""

from typing import Final

from flask import Flask

from web.api import (
    bots,
    challenges,
    exports,
    fairness,
    matches,
    operating,
    organising,
    own_bots,
    standings,
    tournaments,
)
from web.api.description import described

PARTS: Final = (
    standings.part,
    bots.part,
    own_bots.part,
    challenges.part,
    matches.part,
    tournaments.part,
    organising.part,
    fairness.part,
    operating.part,
    exports.part,
)


def init_app(app: Flask) -> None:
    """Add all calls and their description."""
    for part in PARTS:
        app.register_blueprint(part.blueprint)
    app.register_blueprint(described(PARTS))
