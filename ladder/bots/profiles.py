"""Bots and versions as everybody may see them: a bot's page, the list of bots, finding one.

They hold no address, and no version that was never active.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.errors import NotFound
from ladder.matches import debts
from ladder.matches.debts import MissedMatch, OwedMatch
from ladder.model import (
    Bot,
    BotState,
    LadderPlace as Place,
    MeetingTally,
    User,
    Version,
    VersionState,
)
from ladder.people.accounts import printable
from ladder.ratings.boards import name_contains
from ladder.ratings.elo import Skill, is_placed
from ladder.ratings.ranks import ranks
from ladder.ratings.standings import CachedByResult, interval

_ALL: Final = 2**31 - 1  # ids, and rows
OPPONENTS: Final = 100
"""How many opponents a profile lists: those met most often."""


@dataclass(frozen=True, slots=True)
class LadderPlace:
    """A bot's rank, rating and counts on the ladder of one table size; see `standings.Standing`.

    Who is barred or has retired, and so stands in no standings, is `inactive` here.
    """

    seats: int
    rank: int
    rating_milli: int
    deviation_milli: int
    games: int
    wins: int
    faults: int
    provisional: bool
    inactive: bool
    strength_milli: int | None
    low_milli: int | None
    high_milli: int | None


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """A bot against another in all rated matches: a point for a better rank, half for a tie."""

    opponent_id: int
    name: str
    author: str
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Profile:
    """The public facts of a bot, as its page shows them."""

    bot_id: int
    name: str
    author_id: int
    author: str
    state: BotState
    barred: bool
    """True if an admin has paused it, which takes it out of the standings."""
    house: bool
    """True if it is the operator's own."""
    open_to_people: bool
    """True if its author lets it play with people."""
    self_declared: bool
    """True if only its author knows which program answers: no house bot, and not hosted."""
    runtime: str | None
    """The active version's, if it is hosted; None if it runs elsewhere."""
    offline: bool
    """True if it could not be reached, and is looked for."""
    pinned: bool
    version: str
    """The active version; empty if none plays yet."""
    versions: tuple[str, ...]
    """The versions that play or played, newest first."""
    ratings: tuple[LadderPlace, ...]
    head_to_head: tuple[HeadToHead, ...]
    owed: tuple[OwedMatch, ...]
    """Matches of the ladder that it must still play, oldest first."""
    missed: tuple[MissedMatch, ...]
    """The newest that it did not accept when called, and that are over."""

    @property
    def retired(self) -> bool:
        """True if its author has taken it off the ladder for good."""
        return self.state is BotState.RETIRED

    @property
    def plays(self) -> bool:
        """True if it has an active version and is not retired."""
        return bool(self.version) and not self.retired

    @property
    def ranked(self) -> bool:
        """True if the standings have it."""
        return not self.retired and not self.barred


@dataclass(frozen=True, slots=True)
class ListedBot:
    """A bot with an active version, as the list of bots shows it."""

    id: int
    name: str
    author: str
    version: str
    language: str | None
    state: BotState
    offline: bool
    """True if it could not be reached, and is looked for."""
    house: bool
    """True if it is the operator's own."""


@dataclass(frozen=True, slots=True)
class PlayedVersion:
    """A version that plays (`active`) or has played (`superseded`) for its bot."""

    id: int
    name: str
    language: str | None
    state: VersionState
    activated_at: datetime
    runtime: str | None
    """If it is hosted; others run on a server of their own."""
    licence: str | None
    """The licence under which its source can be downloaded, if it is public."""


@dataclass(frozen=True, slots=True)
class FoundBot:
    """A bot and its author by their names."""

    id: int
    name: str
    author: str


def profile(session: Session, bot_id: int) -> Profile:
    """Return the public facts of a bot. Raises NotFound."""
    bot = session.execute(_BOT, {"bot": bot_id}).one_or_none()
    if bot is None:
        raise NotFound("there is no bot %(bot)s", bot=bot_id)
    versions = session.execute(_VERSIONS, {"bot": bot_id}).all()
    ratings = places(session, [bot_id])[bot_id]
    return Profile(
        **bot._mapping,
        bot_id=bot_id,
        self_declared=not bot.house and bot.runtime is None,
        version=next((name for name, active, _ in versions if active), ""),
        versions=tuple(name for name, _, activated_at in versions if activated_at),
        ratings=ratings,
        head_to_head=head_to_head(session, bot_id, after=rated_games(ratings)),
        owed=debts.owed(session, bot_id),
        missed=debts.missed(session, bot_id),
    )


def found(session: Session, bot_id: int) -> FoundBot:
    """Return the name and author of a bot. Raises NotFound."""
    row = session.execute(_FOUND, {"bot": bot_id}).one_or_none()
    if row is None:
        raise NotFound("there is no bot %(bot)s", bot=bot_id)
    return FoundBot(*row)


def newest(session: Session, *, before: int | None = None, limit: int = 50) -> list[ListedBot]:
    """Return the newest bots with a lower id than `before`."""
    rows = session.execute(_LISTED, {"before": before or _ALL, "most": limit})
    return [ListedBot(*row) for row in rows]


def find_by_name(session: Session, name: str, *, most: int) -> tuple[FoundBot, ...]:
    """Find up to `most` bots with `name` in their name or author; those of just this name first."""
    name, folded = printable(name), func.lower(Bot.name)
    query = _CALLED.where(name_contains(name))
    query = query.order_by((folded == func.lower(name)).desc(), folded, Bot.id)
    return tuple(FoundBot(*row) for row in session.execute(query, {"most": most}))


def name_of(session: Session, bot_id: int) -> str | None:
    """Return the name of a bot; None if there is no such bot."""
    return session.scalar(select(Bot.name).where(Bot.id == bot_id))


def versions(
    session: Session, bot_id: int, *, before: int | None = None, limit: int = _ALL
) -> tuple[PlayedVersion, ...]:
    """Return a bot's versions that have been active, newest first, with ids below `before`.

    Raises NotFound.
    """
    parameters = {"bot": bot_id, "before": before or _ALL, "most": limit}
    rows = session.execute(_PLAYED, parameters).all()
    if not rows and session.get(Bot, bot_id) is None:
        raise NotFound("there is no bot %(bot)s", bot=bot_id)
    return tuple(PlayedVersion(**row._mapping) for row in rows)


def places(session: Session, bot_ids: Collection[int]) -> defaultdict[int, tuple[LadderPlace, ...]]:
    """Return the bots' places on the ladders, by table size, by the bot's id."""
    standing = ranks(session)
    found: defaultdict[int, tuple[LadderPlace, ...]] = defaultdict(tuple)
    rows = session.execute(_PLACES, {"bots": list(bot_ids)})
    for version_id, bot_id, seats, rating, deviation, games, wins, faults in rows:
        skill, inactive = Skill(rating, deviation), standing.is_inactive(seats, version_id)
        found[bot_id] += (
            LadderPlace(
                seats,
                standing.rank(seats, skill, inactive=inactive),
                rating,
                deviation,
                games,
                wins,
                faults,
                not is_placed(skill),
                inactive,
                *interval(rating, deviation),
            ),
        )
    return found


def rated_games(ratings: Iterable[LadderPlace]) -> int:
    """Return how many rated games the ratings of a bot come from."""
    return sum(place.games for place in ratings)


def head_to_head(
    session: Session, bot_id: int, *, after: int | None = None
) -> tuple[HeadToHead, ...]:
    """Return the opponents of a bot, those with most games first, OPPONENTS at most.

    `after`: its `rated_games`, if they are known: until there are more, the counts are kept.
    """

    def count(_last: int) -> list[tuple[int, float, int]]:
        rows = session.execute(_MET, {"bot": bot_id, "most": OPPONENTS})
        return [(opponent, float(points), int(games)) for opponent, points, games in rows]

    met = _CACHED_MET.get(session, bot_id, count, last=after)
    found = session.execute(_NAMES, {"bots": [opponent for opponent, *_ in met]})
    names = {opponent: (name, author) for opponent, name, author in found}  # of today
    return tuple(
        HeadToHead(opponent, *names[opponent], points, games)
        for opponent, points, games in met
        if opponent in names
    )


_CACHED_MET: Final = CachedByResult[list[tuple[int, float, int]]](most=256)

# Built once: these are asked for each bot's page.
_NAMED: Final = select(Bot.id, Bot.name, User.name).join(Bot.user)
_FOUND: Final = _NAMED.where(Bot.id == bindparam("bot"))
_BOT: Final = (
    select(
        Bot.name,
        Bot.user_id.label("author_id"),
        User.name.label("author"),
        model.shown_state().label("state"),
        Bot.barred,
        Bot.house,
        Bot.open_to_people,
        Version.offline_since.is_not(None).label("offline"),
        Bot.pinned,
        Version.runtime,
    )
    .join(Bot.user)
    .outerjoin(Version, (Version.bot_id == Bot.id) & Version.active)
    .where(Bot.id == bindparam("bot"))
)
_VERSIONS: Final = (
    select(Version.name, Version.active, Version.activated_at)
    .where(Version.bot_id == bindparam("bot"))
    .order_by(Version.id.desc())
)
_PLACES: Final = (
    select(
        Place.version_id,
        Place.bot_id,
        Place.seats,
        Place.rating_milli,
        Place.deviation_milli,
        Place.games,
        Place.wins,
        Place.faults,
    )
    .join(Version, Version.id == Place.version_id)
    .where(Place.bot_id.in_(bindparam("bots", expanding=True)), Version.active)
    .order_by(Place.seats)
)
_GAMES: Final = func.sum(MeetingTally.games).label("games")
_MET: Final = (
    select(
        MeetingTally.opponent_id, (func.sum(MeetingTally.half_points) / 2.0).label("points"), _GAMES
    )
    .where(MeetingTally.bot_id == bindparam("bot"))
    .group_by(MeetingTally.opponent_id)
    .order_by(_GAMES.desc(), MeetingTally.opponent_id)
    .limit(bindparam("most"))
)
_NAMES: Final = _NAMED.where(Bot.id.in_(bindparam("bots", expanding=True)))
_LISTED: Final = (
    select(
        Bot.id,
        Bot.name,
        User.name,
        Version.name,
        Version.language,
        model.shown_state(),
        Version.offline_since.is_not(None),
        Bot.house,
    )
    .join(Bot.user)
    .join(Version, (Version.bot_id == Bot.id) & Version.active)
    .where(Bot.id < bindparam("before"))
    .order_by(Bot.id.desc())
    .limit(bindparam("most"))
)
_PLAYED: Final = (
    select(
        Version.id,
        Version.name,
        Version.language,
        Version.state,
        Version.activated_at,
        Version.runtime,
        Version.licence,
    )
    .where(
        Version.bot_id == bindparam("bot"),
        Version.activated_at.is_not(None),
        Version.id < bindparam("before"),
    )
    .order_by(Version.id.desc())
    .limit(bindparam("most"))
)
_CALLED: Final = _NAMED.join(Version, (Version.bot_id == Bot.id) & Version.active).limit(
    bindparam("most")
)
