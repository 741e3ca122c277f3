"""Answer what programs ask for unbidden: robots.txt, sitemap, favicon, manifest."""

from collections.abc import Iterable, Iterator
from typing import Final

from flask import Blueprint, Response, current_app, jsonify, redirect
from flask.typing import ResponseReturnValue
from markupsafe import escape

from ladder.bots import profiles
from ladder.contests.tournaments import lookup
from ladder.matches import listing
from ladder.puzzles import reading as puzzles
from web.addresses import PLAIN, PRIVATE
from web.caching import url_for
from web.database import session
from web.documents import NAMES
from web.formats import SEATS
from web.languages import gettext as _, language
from web.security import public_root

blueprint = Blueprint("crawlers", __name__)

_MOST: Final = 2_000
"""How many of the newest bots, tournaments, puzzles and matches the sitemap lists."""
_FRESH: Final = 3600
"""Seconds for which the sitemap may be kept."""
_NOT_LISTED: Final = frozenset(
    {
        "crawlers.manifest",
        "documents.help_page",
        "following.after_featured",
        "live.news",
        "search.page",
        "tournaments.new",
    }
)
"""Endpoints whose path is as simple as a page's, but which are no page for everybody."""
_BY_SEATS: Final = tuple(
    f"standings.{name}" for name in ("ladder", "history", "fairness", "habits")
)
_ICONS: Final = (192, 512)
"""Sides of the icons in the manifest, in pixels."""


@blueprint.get("/robots.txt")
def robots() -> ResponseReturnValue:
    """Let search engines read all pages, but not what is for programs or only leads on."""
    rules = "Disallow: /api/\nDisallow: /language/\n"
    text = f"User-agent: *\n{rules}Sitemap: {public_root()}{url_for('crawlers.sitemap')}\n"
    return Response(text, mimetype="text/plain")


@blueprint.get("/sitemap.xml")
def sitemap() -> ResponseReturnValue:
    """List the pages for everybody, and those of the newest bots, tournaments, puzzles, matches.

    Each address is the one without a language; the page itself names the others.
    """
    root = public_root()
    lines = "".join(f"<url><loc>{escape(root + path)}</loc></url>\n" for path in _paths())
    answer = Response(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}</urlset>\n',
        mimetype="application/xml",
    )
    answer.cache_control.public = True
    answer.cache_control.max_age = _FRESH
    return answer


@blueprint.get("/favicon.ico")
def favicon() -> ResponseReturnValue:
    """Lead what looks for an icon here to it; pages name the drawing."""
    return redirect(_icon_url(32))


@blueprint.get("/apple-touch-icon.png")
def touch_icon() -> ResponseReturnValue:
    """Lead a phone to the icon for its home screen."""
    return redirect(_icon_url(180))


@blueprint.get("/site.webmanifest")
def manifest() -> ResponseReturnValue:
    """Describe the site for a phone's home screen: it opens in the language of the page."""
    icons = [
        {"src": _icon_url(side), "sizes": f"{side}x{side}", "type": "image/png"} for side in _ICONS
    ]
    answer = jsonify(
        name="Santiago Arena",
        short_name="Santiago",
        description=_(
            "Bots play the board game Santiago de Cuba: standings, tournaments and replays."
        ),
        lang=language(),
        start_url=url_for("standings.ladder"),
        scope="/",
        display="minimal-ui",
        background_color="#fbf3e4",
        theme_color="#0d6871",
        icons=icons,
    )
    answer.mimetype = "application/manifest+json"
    return answer


def _icon_url(side: int) -> str:
    return url_for("static", filename=f"site/icons/{side}.png")


def _paths() -> Iterator[str]:
    yield from _fixed()
    for seats in SEATS:
        yield from (url_for(endpoint, seats=seats) for endpoint in _BY_SEATS)
    yield from (url_for("documents.page", name=name) for name in NAMES)
    bots = [bot.id for bot in profiles.newest(session(), limit=_MOST)]
    yield from _each("bots.bot", "bot_id", bots)
    tournaments = [one.id for one in lookup.page(session(), limit=_MOST)]
    yield from _each("tournaments.tournament", "tournament_id", tournaments)
    yield from _each("puzzles.puzzle", "puzzle_id", puzzles.newest(session(), limit=_MOST))
    played = listing.newest_finished(session(), limit=_MOST)
    yield from _each("matches.match", "match_id", played)


def _fixed() -> Iterable[str]:
    """Return the paths of all public pages that need no more than their name."""
    rules = [
        rule.rule
        for rule in current_app.url_map.iter_rules()
        if "GET" in (rule.methods or ())
        and not rule.arguments
        and not rule.rule.startswith(PLAIN)
        and rule.endpoint not in _NOT_LISTED
        and rule.endpoint.partition(".")[0] not in PRIVATE
    ]
    return sorted(rules)


def _each(endpoint: str, name: str, ids: Iterable[int]) -> Iterator[str]:
    yield from (url_for(endpoint, **{name: each}) for each in ids)
