"""Every page of the site, on the ladder of `season` with a Swiss tournament under way.

The list is checked against the site's routes: a new page has to come into it.
"""

from dataclasses import dataclass, field
from typing import Final

from flask import Flask

from tests.e2e.season import ADMIN, ANALYSED, AUTHOR, ORGANISER
from web.documents import GROUPS

Value = int | str


@dataclass(frozen=True)
class SitePage:
    """A page: its name for pictures, its endpoint with the values of its address, who sees it."""

    name: str
    endpoint: str
    values: dict[str, Value] = field(default_factory=dict)
    who: str | None = None


BOT, ACCEPTED, REJECTED = 1, 1, 6
"""Of the first author, with two versions."""
CUP, SWISS = 2, 4
"""A tournament that is over, and one that is in its first round."""
PLAYED, OF_BOT = ANALYSED, 7
"""A match with a replay, which is analysed; that of the next one is not. A match of the bot."""
TICKET, LIVE = "TICKET", "LIVE"
"""Stand for a reset link and for a match that is being played, which the tests know."""

GATHERING, AT_TABLE, OVER = "GATHERING", "AT_TABLE", "OVER"
"""Stand for keys of seats: of casual games that gather, that are played, that are over."""
CASUAL = "CASUAL"
"""Stands for the number of a casual game in which the first bot wrote something."""

PAGES: Final = (
    SitePage("home", "standings.ladder"),
    SitePage("standings", "standings.overview"),
    SitePage("ladder", "standings.ladder", {"seats": 3}),
    SitePage("ladder-search", "standings.ladder", {"seats": 2, "search": "luz", "sort": "wins"}),
    SitePage("ladder-none", "standings.ladder", {"search": "nobody"}),
    SitePage("history", "standings.history", {"seats": 3}),
    SitePage("fairness", "standings.fairness", {"seats": 3}),
    SitePage("habits", "standings.habits", {"seats": 3}),
    SitePage("bot", "bots.bot", {"bot_id": BOT}),
    SitePage("bot-matches", "bots.of_bot", {"bot_id": BOT, "seats": 3}),
    SitePage("bot-style", "bots.style", {"bot_id": BOT}),
    SitePage("bot-against", "bots.against", {"bot_id": BOT, "opponent_id": 2}),
    SitePage("author", "bots.author", {"user_id": 3}),
    SitePage("search", "search.page", {"q": "o"}),
    SitePage("search-none", "search.page", {"q": "nothing like it"}),
    SitePage("matches", "matches.listing"),
    SitePage("matches-none", "matches.listing", {"state": "failed"}),
    SitePage("match", "matches.match", {"match_id": PLAYED, "at": 60}),
    SitePage("match-embedded", "matches.embed", {"match_id": PLAYED, "at": 60}),
    SitePage("match-words", "replays.in_words", {"match_id": PLAYED}),
    SitePage("match-analysis", "analyses.page", {"match_id": PLAYED}),
    SitePage("match-not-analysed", "analyses.page", {"match_id": PLAYED + 1}),
    SitePage("live-match", "matches.match", {"match_id": LIVE}),
    SitePage("live-match-words", "live.in_words", {"match_id": LIVE}),
    SitePage("lobby", "live.lobby"),
    SitePage("lesson", "lesson.start"),
    SitePage("lesson-step", "lesson.step", {"number": 6, "move": "own church"}),
    SitePage("puzzles", "puzzles.listing"),
    SitePage("puzzles-none", "puzzles.listing", {"level": 3}),
    SitePage("puzzle", "puzzles.puzzle", {"puzzle_id": 1}),
    SitePage("puzzle-answer", "puzzles.puzzle", {"puzzle_id": 1, "move": "drive 1"}),
    SitePage("play", "play.home"),
    SitePage("play-gathering", "play.table", {"key": GATHERING}),
    SitePage("play-table", "play.table", {"key": AT_TABLE}),
    SitePage("play-over", "play.table", {"key": OVER}),
    SitePage("play-analysis", "play_analysis.page", {"key": OVER}),
    SitePage("featured", "following.featured"),
    SitePage("bot-live", "following.of_bot", {"bot_id": BOT}),
    SitePage("tournaments", "tournaments.listing"),
    SitePage("tournament", "tournaments.tournament", {"tournament_id": CUP}),
    SitePage("tournament-swiss", "tournaments.tournament", {"tournament_id": SWISS}, ORGANISER),
    SitePage("tournament-new", "tournaments.new", who=ORGANISER),
    SitePage("documents", "documents.index"),
    SitePage("document", "documents.page", {"name": "write-a-bot"}),
    SitePage("api-calls", "api_pages.calls"),
    SitePage("rules", "documents.rules"),
    SitePage("downloads", "downloads.index"),
    SitePage("sign-in", "entrance.sign_in"),
    SitePage("sign-up", "entrance.sign_up"),
    SitePage("reset", "entrance.reset", {"ticket": TICKET}),
    SitePage("account", "accounts.page", who=AUTHOR),
    SitePage("account-admin", "accounts.page", who=ADMIN),
    SitePage("notices", "accounts.notices", who=AUTHOR),
    SitePage("own-bots", "own_bots.mine", who=AUTHOR),
    SitePage("own-bots-none", "own_bots.mine", who=ORGANISER),
    SitePage("own-bot", "own_bots.page", {"bot_id": BOT}, AUTHOR),
    SitePage("own-bot-log", "own_bots.log", {"bot_id": BOT}, AUTHOR),
    SitePage("own-bot-output", "packages.output", {"bot_id": BOT, "match_id": OF_BOT}, AUTHOR),
    SitePage(
        "own-bot-casual", "packages.casual_output", {"bot_id": BOT, "game_id": CASUAL}, AUTHOR
    ),
    SitePage("submit", "submissions.submission_form", who=AUTHOR),
    SitePage("accepted", "submissions.steps", {"bot_id": BOT, "version_id": ACCEPTED}, AUTHOR),
    SitePage("rejected", "submissions.steps", {"bot_id": BOT, "version_id": REJECTED}, AUTHOR),
    SitePage(
        "challenge",
        "own_bots.challenge_form",
        {"bot": BOT, "own_search": "a", "opponent": 2, "search": "u"},
        AUTHOR,
    ),
    SitePage("people", "accounts.users", who=ADMIN),
    SitePage("audit", "accounts.audit", who=ADMIN),
    SitePage("operator", "operator.queue", who=ADMIN),
    SitePage("operator-hosts", "operator.hosts", who=ADMIN),
    SitePage("operator-bot", "operator.bot", {"bot_id": BOT}, ADMIN),
    SitePage("operator-match", "operator.match", {"match_id": PLAYED}, ADMIN),
)

DOCUMENTS: Final = tuple(name for _, names in GROUPS for name in names)
"""What `documents.page` shows."""

NO_PAGES: Final = frozenset(
    {
        "documents.help_page",  # leads on to another page, as the next three do
        "addresses.switch",
        "crawlers.favicon",
        "crawlers.manifest",
        "crawlers.robots",
        "crawlers.sitemap",
        "crawlers.touch_icon",
        "matches.match_with_slash",
        "operator.find_match",
        "health.healthz",
        "downloads.file",
        "packages.build",  # what pages ask for
        "packages.download",
        "packages.source",
        "analyses.document",  # what the viewer asks for
        "analyses.line",
        "analyses.part",
        "play_analysis.document",
        "play_analysis.line",
        "play_analysis.part",
        "live.news",  # what pages ask for, as the next four
        "live.stream",
        "live.end",
        "live.notes",
        "following.after_featured",
        "following.after_bot",
        "live.frames",
        "play.turn",  # what pages of casual games ask for
        "play.end",
        "play.frames",
        "play.stream",
        "play.download",
        "lesson.frames",
        "drawing.picture",  # files
        "drawing.poster_of",
        "replays.frames",
        "replays.download",
        "static",
    }
)
"""What is read by programs, or leads on."""


def routes(app: Flask) -> set[str]:
    """The endpoints of all pages that a browser can open."""
    return {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and not rule.rule.startswith("/api/")
    } - NO_PAGES


def address(app: Flask, page: SitePage, known: dict[str, Value]) -> str:
    """The path of the page; `known` are the values of what stands for others."""
    values = {
        key: known.get(value, value) if isinstance(value, str) else value
        for key, value in page.values.items()
    }
    return app.url_map.bind("").build(page.endpoint, values)
