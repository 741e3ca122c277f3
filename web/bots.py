"""Public pages of bots and authors: ratings, record, matches with filters, style, head to head."""

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ladder.bots import authors, meetings, profiles, styles
from ladder.bots.profiles import OPPONENTS
from ladder.errors import NotFound
from ladder.matches import misses
from ladder.matches.listing import list_bot_matches
from ladder.model import MatchKind
from ladder.ratings.histories import on_ladders
from ladder.ratings.tallies import wins_on_ladders
from web import mistakes, parameters
from web.charts import IntervalScale, Series, rating_chart
from web.database import session
from web.languages import gettext as _
from web.parameters import MOST

blueprint = Blueprint("bots", __name__)

_MATCHES = 10
_OPPONENTS = 12


@blueprint.get(f"/bots/<int(max={MOST}):bot_id>")
def bot(bot_id: int) -> ResponseReturnValue:
    """Show a bot; ?all=1 lists all its opponents."""
    profile = profiles.profile(session(), bot_id)
    ladders = [place.seats for place in profile.ratings]
    history = on_ladders(session(), bot_id, ladders)
    ends = [end for place in profile.ratings for end in (place.low_milli, place.high_milli)]
    every = request.args.get("all", "") == "1"
    return render_template(
        "bots/bot.html",
        profile=profile,
        versions=profiles.versions(session(), bot_id),
        chart=rating_chart(
            history.times,
            [
                Series(_("%(count)s seats", count=seats), ratings)
                for seats, ratings in history.ladders
            ],
        ),
        scale=IntervalScale.around(ends),
        wins=wins_on_ladders(session(), bot_id),
        neighbours=styles.neighbours(session(), bot_id),
        record=styles.record(session(), bot_id),
        mistakes=mistakes.of_bot(bot_id),
        opponents=profile.head_to_head if every else profile.head_to_head[:_OPPONENTS],
        every=every,
        most_opponents=OPPONENTS,
        most_misses=misses.MOST,
        latest=list_bot_matches(session(), bot_id, limit=_MATCHES).matches,
    )


@blueprint.get(f"/bots/<int(max={MOST}):bot_id>/matches")
def of_bot(bot_id: int) -> ResponseReturnValue:
    """List a bot's matches: ?opponent=, ?seats=, ?kind=, ?faults=1 filter, ?before= pages."""
    profile = profiles.profile(session(), bot_id)
    opponent, before = parameters.number("opponent"), parameters.number("before")
    seats = parameters.table_size()
    kind = parameters.choice("kind", list(MatchKind))
    faults = request.args.get("faults", "") == "1"
    page = list_bot_matches(
        session(),
        bot_id,
        opponent_id=opponent,
        seats=seats,
        kind=MatchKind(kind) if kind else None,
        faulted=faults,
        before=before,
        limit=2 * _MATCHES,
    )
    chosen = {"opponent": opponent, "seats": seats, "kind": kind, "faults": "1" if faults else None}
    return render_template(
        "bots/matches.html",
        profile=profile,
        page=page,
        chosen=chosen,
        first=before is None,
        kinds=tuple(MatchKind),
    )


@blueprint.get(f"/bots/<int(max={MOST}):bot_id>/against/<int(max={MOST}):opponent_id>")
def against(bot_id: int, opponent_id: int) -> ResponseReturnValue:
    """Compare two bots by their games at one table; ?seats= filters the list, ?before= pages."""
    if bot_id == opponent_id:
        raise NotFound("choose two different bots")
    seats, before = parameters.table_size(), parameters.number("before")
    page = list_bot_matches(
        session(), bot_id, opponent_id=opponent_id, seats=seats, before=before, limit=2 * _MATCHES
    )
    return render_template(
        "bots/against.html",
        own=profiles.profile(session(), bot_id),
        other=profiles.profile(session(), opponent_id),
        met=meetings.meetings(session(), bot_id, opponent_id),
        page=page,
        seats=seats,
        first=before is None,
    )


@blueprint.get(f"/authors/<int(max={MOST}):user_id>")
def author(user_id: int) -> ResponseReturnValue:
    """Show an author: the bots with their ranks, and the newest matches of these."""
    found = authors.author(session(), user_id)
    latest = authors.newest_matches(session(), found, limit=_MATCHES)
    return render_template(
        "bots/author.html", author=found, latest=latest, most_bots=authors.MOST_BOTS
    )


@blueprint.get(f"/bots/<int(max={MOST}):bot_id>/style")
def style(bot_id: int) -> ResponseReturnValue:
    """Show its favourite citizens and buildings, and the sources of its victory points."""
    profile = profiles.profile(session(), bot_id)
    return render_template(
        "bots/style.html", profile=profile, style=styles.style(session(), bot_id), most=styles.GAMES
    )
