"""Public pages of bots and authors: ratings, record, matches, style, head to head, mistakes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder.analyses import profiles as mistake_profiles
from ladder.analyses.profiles import InstructiveMoment, MistakeProfile
from ladder.bots import authors, meetings, profiles, styles
from ladder.bots.profiles import OPPONENTS
from ladder.bots.styles import Neighbour, Record
from ladder.errors import NotFound
from ladder.matches import misses, reading
from ladder.matches.listing import list_bot_matches
from ladder.matches.reading import MatchRow
from ladder.model import MatchKind, MatchState
from ladder.ratings.histories import on_ladders
from ladder.ratings.standings import CachedByResult
from ladder.ratings.tallies import SeatWins, wins_on_ladders
from referee.analysis.results import Losses
from web import parameters
from web.caching import Cache
from web.charts import IntervalScale, Series, rating_chart
from web.database import session
from web.frames import distinct_names, scenes
from web.languages import gettext as _, language
from web.parameters import BOT, MOST
from web.viewer.analyses import KINDS, PHASES
from web.viewer.choices import choice
from web.viewer.stills import game
from web.words import words_of

blueprint = Blueprint("bots", __name__)

_MATCHES = 10
_OPPONENTS = 12
_VERSIONS = 20

_NONE: Final = Losses(0, 0.0)


class Counted(NamedTuple):
    """Counts over many games of a bot."""

    wins: Mapping[int, tuple[SeatWins, ...]]
    neighbours: tuple[Neighbour, ...]
    record: Record


_counted: Final = CachedByResult[Counted](most=256)


@blueprint.get(BOT)
def bot(bot_id: int) -> ResponseReturnValue:
    """Show a bot; ?all=1 lists all its opponents, ?before= pages its versions."""
    profile = profiles.profile(session(), bot_id)
    ladders = [place.seats for place in profile.ratings]
    history = on_ladders(session(), bot_id, ladders)
    ends = [end for place in profile.ratings for end in (place.low_milli, place.high_milli)]
    games = profiles.rated_games(profile.ratings)
    counted = _counted.get(session(), bot_id, lambda _last: _count(bot_id), last=games)
    every, before = parameters.is_set("all"), parameters.number("before")
    versions = profiles.versions(session(), bot_id, before=before, limit=_VERSIONS + 1)
    shown, next_before = parameters.page_of(versions, _VERSIONS)
    return render_template(
        "bots/bot.html",
        profile=profile,
        versions=shown,
        next_before=next_before,
        chart=rating_chart(
            history.times,
            [
                Series(_("%(count)s seats", count=seats), ratings)
                for seats, ratings in history.ladders
            ],
        ),
        scale=IntervalScale.around(ends),
        wins=counted.wins,
        neighbours=counted.neighbours,
        record=counted.record,
        mistakes=_mistakes_of(bot_id),
        opponents=profile.head_to_head if every else profile.head_to_head[:_OPPONENTS],
        every=every,
        most_opponents=OPPONENTS,
        most_misses=misses.MOST,
        latest=_latest(bot_id),
    )


def _latest(bot_id: int) -> tuple[MatchRow, ...]:
    """Return the newest results; before the first one, the newest matches."""
    results = list_bot_matches(session(), bot_id, state=MatchState.FINISHED, limit=_MATCHES)
    found = results if results.matches else list_bot_matches(session(), bot_id, limit=_MATCHES)
    return found.matches


@blueprint.get(f"{BOT}/matches")
def of_bot(bot_id: int) -> ResponseReturnValue:
    """List a bot's matches: ?opponent=, ?seats=, ?kind=, ?faults=1 filter, ?before= pages."""
    found = profiles.found(session(), bot_id)
    opponent, before = parameters.number("opponent"), parameters.number("before")
    seats = parameters.table_size()
    kind = parameters.choice("kind", MatchKind)
    faults = parameters.is_set("faults")
    page = list_bot_matches(
        session(),
        bot_id,
        opponent_id=opponent,
        seats=seats,
        kind=kind,
        faulted=faults,
        before=before,
        limit=2 * _MATCHES,
    )
    met = profiles.head_to_head(session(), bot_id)
    names = distinct_names([(other.name, other.author) for other in met])
    chosen = {"opponent": opponent, "seats": seats, "kind": kind, "faults": "1" if faults else None}
    return render_template(
        "bots/matches.html",
        bot=found,
        opponents=dict(zip((other.opponent_id for other in met), names, strict=True)),
        page=page,
        chosen=chosen,
        kinds=tuple(MatchKind),
    )


@blueprint.get(f"{BOT}/against/<int(max={MOST}):opponent_id>")
def against(bot_id: int, opponent_id: int) -> ResponseReturnValue:
    """Compare two bots by their games at one table; ?seats= filters the list, ?before= pages."""
    if bot_id == opponent_id:
        raise NotFound("choose two different bots")
    seats, before = parameters.table_size(), parameters.number("before")
    page = list_bot_matches(
        session(), bot_id, opponent_id=opponent_id, seats=seats, before=before, limit=2 * _MATCHES
    )
    own, other = profiles.found(session(), bot_id), profiles.found(session(), opponent_id)
    return render_template(
        "bots/against.html",
        own=own,
        other=other,
        names=distinct_names([(own.name, own.author), (other.name, other.author)]),
        met=meetings.meetings(session(), bot_id, opponent_id),
        page=page,
        seats=seats,
    )


@blueprint.get(f"/authors/<int(max={MOST}):user_id>")
def author(user_id: int) -> ResponseReturnValue:
    """Show an author: the bots with their ranks, and the newest matches of these."""
    found = authors.author(session(), user_id)
    latest = authors.newest_matches(session(), found, limit=_MATCHES)
    return render_template(
        "bots/author.html", author=found, latest=latest, most_bots=authors.MOST_BOTS
    )


@blueprint.get(f"{BOT}/style")
def style(bot_id: int) -> ResponseReturnValue:
    """Show its favourite citizens and buildings, and the sources of its victory points."""
    found = profiles.found(session(), bot_id)
    return render_template(
        "bots/style.html", bot=found, style=styles.style(session(), bot_id), most=styles.GAMES
    )


@dataclass(frozen=True, slots=True)
class CostRow:
    """The cost of decisions of a kind, or in a part of the game, for this bot and all bots."""

    name: str
    own: Losses
    all: Losses


@dataclass(frozen=True, slots=True)
class WordedLesson:
    """A lesson with its turn (0 in the setup), and both moves in words."""

    lesson: InstructiveMoment
    turn: int
    played: str
    better: str


@dataclass(frozen=True, slots=True)
class Mistakes:
    """A bot's profile as its page shows it; rows have the codes of kinds and parts of the game."""

    profile: MistakeProfile
    all: MistakeProfile
    kinds: list[CostRow]
    phases: list[CostRow]
    lessons: list[WordedLesson]


_worded: Final = Cache[WordedLesson](4096)


def _count(bot_id: int) -> Counted:
    return Counted(
        wins_on_ladders(session(), bot_id),
        styles.neighbours(session(), bot_id),
        styles.record(session(), bot_id),
    )


def _mistakes_of(bot_id: int) -> Mistakes | None:
    """Return the mistakes of a bot; None if no game of it is analysed."""
    if (own := mistake_profiles.profile(session(), bot_id)) is None:
        return None
    if (everybody := mistake_profiles.typical(session())) is None:
        return None
    return Mistakes(
        profile=own,
        all=everybody,
        kinds=_rows(KINDS, own.by_kind, everybody.by_kind),
        phases=_rows(PHASES, own.by_phase, everybody.by_phase),
        lessons=[_in_words(one, language()) for one in own.lessons],
    )


def _rows(
    names: Mapping[str, str], own: Mapping[str, Losses], everybody: Mapping[str, Losses]
) -> list[CostRow]:
    return [CostRow(name, own[name], everybody.get(name, _NONE)) for name in names if name in own]


def _in_words(lesson: InstructiveMoment, code: str) -> WordedLesson:
    def make() -> WordedLesson:
        played = game(reading.replay(session(), lesson.match_id))
        scene = next(scenes(played, words_of(code), lesson.moment))
        return WordedLesson(
            lesson, scene.before["turn"], choice(scene, lesson.played), choice(scene, lesson.better)
        )

    return _worded.made((lesson.match_id, lesson.moment, code), lesson, make)
