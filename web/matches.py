"""Matches: the list with its filters, and the page of one match."""

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from ladder.contests.tournaments import lookup
from ladder.matches import reading
from ladder.matches.listing import CLOSE, Filters, list_matches, unfinished_states
from ladder.matches.reading import MatchPage
from ladder.model import MatchKind, MatchState
from ladder.people.accounts import LONGEST_SEARCH
from web import parameters, search, security
from web.database import session
from web.languages import language
from web.parameters import MOST
from web.search import AskedBot
from web.viewer import watching
from web.viewer.stills import still

blueprint = Blueprint("matches", __name__)

_UNFINISHED = (MatchState.RUNNING, MatchState.QUEUED, MatchState.FAILED, MatchState.CANCELLED)
_PAGE = 40


@blueprint.get("/matches")
def listing() -> ResponseReturnValue:
    """List the newest matches, finished ones first; ?before= pages.

    ?bot=, ?opponent=, ?tournament=, ?state=, ?seats=, ?kind=, ?close=1, ?faults=1, ?from= and ?to=
    filter. A bot is given by id or name; if that does not name exactly one, the page asks which.
    """
    bot, opponent = search.asked_bot("bot"), search.asked_bot("opponent")
    state = parameters.choice("state", MatchState)
    kind = parameters.choice("kind", MatchKind)
    before = parameters.number("before")
    filters = Filters(
        opponent_id=opponent.id,
        tournament_id=parameters.number("tournament"),
        seats=parameters.table_size(),
        kind=kind,
        close=parameters.is_set("close"),
        faulted=parameters.is_set("faults"),
        since=parameters.begin(parameters.day("from")),
        until=parameters.begin(parameters.day("to"), days=1),
    )
    page = MatchPage((), None)
    if not (bot.is_open or opponent.is_open):
        page = _page(bot.id, state, before, filters)
    return render_template(
        "matches/listing.html",
        page=page,
        bot=bot,
        opponent=opponent,
        chosen=_chosen(bot, opponent, state, filters),
        kinds=tuple(MatchKind),
        margin=CLOSE,
        longest=LONGEST_SEARCH,
        tournaments=lookup.names(session(), filters["tournament_id"]),
        states=tuple(MatchState),
    )


def _chosen(
    bot: AskedBot, opponent: AskedBot, state: MatchState | None, filters: Filters
) -> dict[str, object]:
    """Return the parameters of an address that lists the same matches; None if one is not set."""
    days = {name: parameters.day(name) for name in ("from", "to")}
    return {
        "bot": bot.parameter,
        "opponent": opponent.parameter,
        "tournament": filters["tournament_id"],
        "state": state,
        "seats": filters["seats"],
        "kind": filters["kind"],
        "close": 1 if filters["close"] else None,
        "faults": 1 if filters["faulted"] else None,
        **{name: day.isoformat() if day else None for name, day in days.items()},
    }


def _page(
    bot_id: int | None, state: MatchState | None, before: int | None, filters: Filters
) -> MatchPage:
    """Return a page; without a state, finished ones, and on the last page some of the others."""

    def of_state(kind: str | None, limit: int = _PAGE, before: int | None = before) -> MatchPage:
        selection = filters.copy()
        selection["state"] = kind
        return list_matches(session(), bot_id=bot_id, before=before, limit=limit, **selection)

    page = of_state(state or MatchState.FINISHED)
    if state is not None or page.next_before is not None:
        return page
    rows = page.matches
    others = unfinished_states(session(), bot_id, before=None if rows else before, **filters)
    if not rows:
        return of_state(None) if others else page
    for other in _UNFINISHED:
        if other in others and (left := _PAGE - len(rows)):
            rows += of_state(other, left, None).matches
    return MatchPage(rows, None)


@blueprint.get(f"/matches/<int(max={MOST}):match_id>")
def match(match_id: int) -> ResponseReturnValue:
    """Show the replay of a finished match, a running match live, or what is known of another."""
    return _shown(match_id, "matches/match.html")


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/embed")
def embed(match_id: int) -> ResponseReturnValue:
    """Show the viewer alone, for a frame on any site; ?at= is the moment, ?theme= light or dark."""
    security.allow_framing()
    return _shown(match_id, "replays/waiting.html", framed=True)


def _shown(match_id: int, without_game: str, *, framed: bool = False) -> str:
    """Show a match as it runs, its replay at the moment that the address asks for, or neither."""
    row = reading.match(session(), match_id)
    if row.state == MatchState.RUNNING:
        return watching.page(row, framed=framed)
    if not row.has_replay:
        return render_template(without_game, match=row, framed=framed)
    shown = still(reading.replay(session(), row.id), parameters.moment() or 0, language())
    return render_template("replays/replay.html", match=row, still=shown, framed=framed)


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/")
def match_with_slash(match_id: int) -> ResponseReturnValue:
    """Redirect the address with a slash at its end."""
    return redirect(url_for("matches.match", match_id=match_id))
