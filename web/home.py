"""The first page: what this is, a game to watch, ways on, and what happens on the ladders."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from flask import render_template
from markupsafe import Markup

from ladder.contests.tournaments import lookup
from ladder.errors import NotFound
from ladder.matches.listing import list_matches
from ladder.matches.reading import MatchRow
from ladder.model import MatchState
from ladder.ratings.boards import overview
from ladder.ratings.ranks import ranks
from web import puzzles
from web.database import session
from web.frames import Player
from web.viewer import boards, following, watching

_LATEST: Final = 6
_LOOKED_THROUGH: Final = 24
"""How many of the newest games the featured one is chosen from, if none is being played."""
_BOTS: Final = 10
_TOURNAMENTS: Final = 4


@dataclass(frozen=True, slots=True)
class Featured:
    """The game on the first page: one that is being played, or one that was close."""

    match: MatchRow
    live: bool
    board: Markup | None
    """The board of a running game as it is now; that of another one is drawn by its replay."""
    players: Sequence[Player] = ()
    """The seats of a running game, with what they have now."""


def page() -> str:
    """Render the first page."""
    running = watching.running()
    newest = list_matches(session(), state=MatchState.FINISHED, limit=_LOOKED_THROUGH).matches
    found = overview(session(), limit=_BOTS)
    return render_template(
        "home/home.html",
        featured=_live(running) or _closest(newest),
        running=len(running.games),
        rows=found.rows,
        found=found.found,
        played=ranks(session()).played,
        latest=newest[:_LATEST],
        tournaments=lookup.page(session(), limit=_TOURNAMENTS),
        puzzle=puzzles.of_today(),
    )


def _live(running: watching.Lobby) -> Featured | None:
    """Return the featured game, if anything is known of one that is being played."""
    match = following.featured_match() if any(game.state for game in running.games) else None
    if match is None:
        return None
    try:
        board, players = boards.running_board(match.id)
    except NotFound:  # it has just ended
        return Featured(match, live=True, board=None)
    return Featured(match, live=True, board=board, players=players)


def _closest(matches: Iterable[MatchRow]) -> Featured | None:
    """Return the game with the smallest lead of those with most seats, if possible without fault.

    None if no game has a replay.
    """
    played = [match for match in matches if match.has_replay]
    if not played:
        return None
    return Featured(min(played, key=_interest), live=False, board=None)


def _interest(match: MatchRow) -> tuple[bool, int, int, int]:
    """Return how well a game suits, as a tuple to sort by: the most interesting one is first."""
    points = sorted((seat.vp or 0 for seat in match.seats), reverse=True)
    return any(seat.fault for seat in match.seats), -len(points), points[0] - points[1], -match.id
