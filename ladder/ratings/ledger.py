"""The ledger: one gap-free order of entries, and the rating changes that follow from them.

An entry is a result, an inheritance, an annulment, the pinning of the anchor, or a match that one
bot missed. A rating and its deviation are the fold of their entries in the order of their numbers;
`ladder.ratings.rebuilding` folds them again.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.model import Bot, EntryKind, LadderPlace, Ledger, RatingChange, Seat
from ladder.ratings import elo, tallies
from ladder.ratings.elo import Skill
from ladder.ratings.tallies import Ranked

_OF_MATCHES: Final = (EntryKind.RESULT, EntryKind.MISSED)
"""The kinds of entries by which a match changes ratings; an annulment takes them back."""
_PLACES: Final = model.Upsert(
    LadderPlace, replace=("rating_milli", "deviation_milli", "games", "wins", "faults")
)

# Built once: every result needs them.
_NEWEST: Final = select(Ledger.last_result)
_LOCK: Final = _NEWEST.with_for_update()
_COUNT: Final = (
    update(Ledger.__table__)  # type: ignore[arg-type]
    .values(last_result=Ledger.last_result + 1)
    .returning(Ledger.last_result)
)
_CHANGE: Final = insert(RatingChange.__table__)  # type: ignore[arg-type]
_PINNED: Final = select(Bot.id).where(Bot.id.in_(bindparam("bots", expanding=True)), Bot.pinned)

_STANDING: Final = select(
    LadderPlace.version_id,
    LadderPlace.rating_milli,
    LadderPlace.deviation_milli,
    LadderPlace.games,
    LadderPlace.wins,
    LadderPlace.faults,
).where(
    LadderPlace.seats == bindparam("seats"),
    LadderPlace.version_id.in_(bindparam("versions", expanding=True)),
)


def newest(session: Session) -> int:
    """Return the number of the newest entry; it grows whenever results may change a page."""
    return int(session.execute(_NEWEST).scalar_one())


def lock(session: Session) -> int:
    """Take the ledger's lock until the transaction ends; return the number of the newest entry.

    Take it before touching any row when you settle a match: then results are written one after the
    other, and transactions can't deadlock.
    """
    model.write(session)
    return int(model.execute(session, _LOCK).scalar_one())


def next_number(session: Session) -> int:
    """Return the number for an entry of this transaction. The ledger must be locked."""
    return int(model.execute(session, _COUNT).scalar_one())


def record(
    session: Session,
    match_id: int,
    result_number: int,
    table: Sequence[Ranked],
    pinned: Collection[int],
) -> None:
    """Write the rating changes of a rated result, and the counts. The ledger must be locked.

    `pinned` are the ids of those bots at the table that are pinned. Uses plain statements, since it
    runs for every match.
    """
    places = _standing(session, [(one.bot_id, one.version_id) for one in table], pinned)
    before = [_skill(place) for place in places]
    rated = _rated(before, table, pinned)
    changes = []
    for place, ranked, after in zip(places, table, rated, strict=True):
        changes.append(_changed(place, after, EntryKind.RESULT, match_id, result_number))
        place["games"] += 1
        place["wins"] += ranked.rank == 1
        place["faults"] += ranked.faulted
    model.execute(session, _CHANGE, changes)
    _PLACES.put(session, places)
    tallies.count(session, table, elo.pairs(before))


def miss(session: Session, match_id: int, table: Sequence[tuple[int, int]], seat: int) -> int:
    """Rate a match that the bot in `seat` missed as its loss; return the entry's number.

    `table` holds (bot id, version id) by seat. The bot loses what it would lose as the last of the
    table, and has one game more; the others are not rated, and nothing is tallied. The ledger must
    be locked.
    """
    pinned = _pinned(session, [bot_id for bot_id, _ in table])
    places = _standing(session, table, pinned)
    skills = [_skill(place) for place in places]
    after = elo.rate_missed(skills, seat, [bot_id in pinned for bot_id, _ in table])
    number = next_number(session)
    change = _changed(places[seat], after, EntryKind.MISSED, match_id, number)
    places[seat]["games"] += 1
    model.execute(session, _CHANGE, [change])
    _PLACES.put(session, [places[seat]])
    return number


def inherit(session: Session, *, old: int, new: int) -> None:
    """Start a new version from its predecessor's ratings (ids of versions); no games yet.

    What is known of the old version holds less for the new one: see `elo.new_version`. The ledger
    must be locked. If there is something to inherit, it is an entry with a result number of its
    own.
    """
    left = session.scalars(
        select(LadderPlace).where(LadderPlace.version_id == old).order_by(LadderPlace.seats)
    ).all()
    number = next_number(session) if left else 0
    for place in left:
        heir = session.get(LadderPlace, (place.seats, new))
        if heir is None:
            heir = _new_place(place.seats, place.bot_id, new)
            session.add(heir)
        after = elo.new_version(_skill_of(place))
        _enter(session, heir, EntryKind.INHERITANCE, number, after, from_version=old)
    session.flush()


def pin(session: Session, bot_id: int) -> None:
    """Make a bot the anchor, with ratings of 1500 from now on. The ledger must be locked."""
    bot = session.get_one(Bot, bot_id)
    if bot.pinned:
        return
    bot.pinned = True
    places = session.scalars(select(LadderPlace).where(LadderPlace.bot_id == bot_id)).all()
    number = next_number(session) if places else 0
    for place in places:
        _enter(session, place, EntryKind.PIN, number, elo.ANCHOR)
    session.flush()


def take_back(session: Session, match_id: int) -> None:
    """Undo what a result did to ratings and counts, by a new entry. The ledger must be locked.

    A rating gives back what is left in it of the change: see `elo.without`. So does that of a
    version that has inherited it. Later results stay as they are: they were rated by the ratings of
    their time.
    """
    rows = _changes_of(session, match_id)
    if not rows:
        return  # it was not rated
    number = next_number(session)
    table = [_ranked(seat) for _, seat in rows]
    for (change, _), ranked in zip(rows, table, strict=True):
        holding = carriers(change.version_id, _inheritances_after(session, change))
        for version in {change.version_id: None, **dict.fromkeys(holding)}:
            place = _place(session, change.seats, version)
            after = _skill_of(place)
            if version in holding:
                after = elo.without(after, _before(change), _after(change))
            _enter(session, place, EntryKind.ANNULMENT, number, after, match_id)
            if version == change.version_id:
                place.games -= 1
                place.wins -= ranked.rank == 1
                place.faults -= ranked.faulted
    if rows[0][0].kind is EntryKind.RESULT:
        pairs = elo.pairs([_before(change) for change, _ in rows])
        tallies.count(session, table, pairs, sign=-1)
    session.flush()


def carriers(version_id: int, inheritances: Iterable[tuple[int, int]]) -> list[int]:
    """Return the versions whose ratings contain a change that `version_id` once got.

    `inheritances` are the (old, new) versions of the bot's later inheritances, in order. A version
    that inherits from one with the change has it, too; a version that had it and then inherits from
    one without it loses it.
    """
    found = [version_id]
    for old, new in inheritances:
        if old in found and new not in found:
            found.append(new)
        elif new in found and old not in found:
            found.remove(new)
    return found


def _rated(
    before: Sequence[Skill], table: Sequence[Ranked], pinned: Collection[int]
) -> tuple[Skill, ...]:
    """Return the skills after a result, by seat."""
    ranks = [ranked.rank for ranked in table]
    return elo.rate(before, ranks, [ranked.bot_id in pinned for ranked in table])


def _changed(
    place: dict[str, int], after: Skill, kind: EntryKind, match_id: int, number: int
) -> dict[str, Any]:
    """Set the rating of a place; return the row of the ledger."""
    before = _skill(place)
    place["rating_milli"], place["deviation_milli"] = after
    return {
        "kind": kind,
        "match_id": match_id,
        "result_number": number,
        "seats": place["seats"],
        "bot_id": place["bot_id"],
        "version_id": place["version_id"],
        "before_milli": before.rating,
        "after_milli": after.rating,
        "before_deviation_milli": before.deviation,
        "after_deviation_milli": after.deviation,
    }


def _enter(
    session: Session,
    place: LadderPlace,
    kind: EntryKind,
    number: int,
    after: Skill,
    match_id: int | None = None,
    from_version: int | None = None,
) -> None:
    """Write a row of the ledger and set the new rating."""
    session.add(
        RatingChange(
            kind=kind,
            match_id=match_id,
            result_number=number,
            seats=place.seats,
            bot_id=place.bot_id,
            version_id=place.version_id,
            from_version_id=from_version,
            before_milli=place.rating_milli,
            after_milli=after.rating,
            before_deviation_milli=place.deviation_milli,
            after_deviation_milli=after.deviation,
        )
    )
    place.rating_milli, place.deviation_milli = after


def _skill(place: dict[str, int]) -> Skill:
    return Skill(place["rating_milli"], place["deviation_milli"])


def _skill_of(place: LadderPlace) -> Skill:
    return Skill(place.rating_milli, place.deviation_milli)


def _before(change: RatingChange) -> Skill:
    return Skill(change.before_milli, change.before_deviation_milli)


def _after(change: RatingChange) -> Skill:
    return Skill(change.after_milli, change.after_deviation_milli)


def _standing(
    session: Session, table: Sequence[tuple[int, int]], pinned: Collection[int]
) -> list[dict[str, int]]:
    """Read the places of a table, (bot id, version id) by seat, as rows.

    Versions without a rated result get new ones.
    """
    at_table = {"seats": len(table), "versions": [version_id for _, version_id in table]}
    found = {version: counted for version, *counted in model.execute(session, _STANDING, at_table)}
    places = []
    for bot_id, version_id in table:
        start = elo.ANCHOR if bot_id in pinned else elo.NEWCOMER
        rating, deviation, games, wins, faults = found.get(version_id, (*start, 0, 0, 0))
        places.append(
            {
                "seats": len(table),
                "version_id": version_id,
                "bot_id": bot_id,
                "rating_milli": rating,
                "deviation_milli": deviation,
                "games": games,
                "wins": wins,
                "faults": faults,
            }
        )
    return places


def _place(session: Session, seats: int, version: int) -> LadderPlace:
    query = select(LadderPlace).where(LadderPlace.seats == seats, LadderPlace.version_id == version)
    return session.scalars(query, execution_options={"populate_existing": True}).one()


def _new_place(seats: int, bot_id: int, version_id: int) -> LadderPlace:
    return LadderPlace(
        seats=seats,
        version_id=version_id,
        bot_id=bot_id,
        rating_milli=elo.NEWCOMER.rating,
        deviation_milli=elo.NEWCOMER.deviation,
        games=0,
        wins=0,
        faults=0,
    )


def _pinned(session: Session, bots: Sequence[int]) -> frozenset[int]:
    return frozenset(session.scalars(_PINNED, {"bots": bots}))


def _changes_of(session: Session, match_id: int) -> list[tuple[RatingChange, Seat]]:
    """Return what a result, or a miss, changed, with the seats."""
    query = (
        select(RatingChange, Seat)
        .join(
            Seat,
            (Seat.match_id == RatingChange.match_id) & (Seat.version_id == RatingChange.version_id),
        )
        .where(RatingChange.match_id == match_id, RatingChange.kind.in_(_OF_MATCHES))
        .order_by(Seat.seat)
    )
    return [(change, seat) for change, seat in session.execute(query)]


def _ranked(seat: Seat) -> Ranked:
    assert seat.rank is not None
    taken = tuple(int(count) for count in (seat.tributes or "").split())
    return Ranked(seat.bot_id, seat.version_id, seat.rank, seat.fault is not None, taken)


def _inheritances_after(session: Session, change: RatingChange) -> list[tuple[int, int]]:
    query = (
        select(RatingChange.from_version_id, RatingChange.version_id)
        .where(
            RatingChange.bot_id == change.bot_id,
            RatingChange.seats == change.seats,
            RatingChange.kind == EntryKind.INHERITANCE,
            RatingChange.result_number > change.result_number,
        )
        .order_by(RatingChange.result_number)
    )
    return [(old, new) for old, new in session.execute(query) if old is not None]
