"""The ledger: one gap-free order of entries, and the rating changes that follow from them.

An entry is a result, an inheritance, an annulment, the pinning of the anchor, or a match that one
bot missed. A rating and its deviation are the fold of their entries in the order of their numbers;
`ladder.ratings.rebuilding` folds them again.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, bindparam, insert, select, update
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
_COUNT_BACK: Final = update(Ledger.__table__).values(  # type: ignore[arg-type]
    last_result=Ledger.last_result - 1
)
_CHANGE: Final = insert(RatingChange.__table__)  # type: ignore[arg-type]
_PINNED: Final = select(Bot.id).where(Bot.id.in_(bindparam("bots", expanding=True)), Bot.pinned)

_PLACE: Final = select(LadderPlace.__table__)
_STANDING: Final = _PLACE.where(
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
    """Return the number for an entry of this transaction; take the ledger's lock as `lock` does."""
    model.write(session)
    return int(model.execute(session, _COUNT).scalar_one())


def drop_number(session: Session) -> None:
    """Take back the number that `next_number` gave to this transaction, as there is no entry."""
    model.execute(session, _COUNT_BACK)


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
    rated = elo.rate(before, [ranked.rank for ranked in table])
    changes = []
    for place, ranked, after in zip(places, table, rated, strict=True):
        changes.append(_changed(place, after, EntryKind.RESULT, result_number, match_id))
        _tally(place, ranked, 1)
    _write(session, places, changes)
    tallies.count(session, table, elo.pairs(before))


def miss(session: Session, match_id: int, table: Sequence[tuple[int, int]], seat: int) -> int:
    """Rate a match that the bot in `seat` missed as its loss; return the entry's number.

    `table` holds (bot id, version id) by seat. The bot loses what it would lose as the last of the
    table, and has one game more; the others are not rated, and nothing is tallied. The ledger must
    be locked.
    """
    pinned = set(session.scalars(_PINNED, {"bots": [bot_id for bot_id, _ in table]}))
    places = _standing(session, table, pinned)
    skills = [_skill(place) for place in places]
    after = elo.rate_missed(skills, seat)
    number = next_number(session)
    change = _changed(places[seat], after, EntryKind.MISSED, number, match_id)
    places[seat]["games"] += 1
    _write(session, [places[seat]], [change])
    return number


def inherit(session: Session, *, old: int, new: int) -> None:
    """Start a new version from its predecessor's ratings (ids of versions); no games yet.

    What is known of the old version holds less for the new one: see `elo.new_version`. The ledger
    must be locked. If there is something to inherit, it is an entry with a result number of its
    own.
    """
    left = _places(session, LadderPlace.version_id == old)
    number = next_number(session) if left else 0
    known = {place["seats"]: place for place in _places(session, LadderPlace.version_id == new)}
    heirs, changes = [], []
    for place in left:
        seats, bot_id = place["seats"], place["bot_id"]
        heir = known.get(seats) or _new_place(seats, new, bot_id, elo.NEWCOMER)
        after = elo.new_version(_skill(place))
        changes.append(_changed(heir, after, EntryKind.INHERITANCE, number, from_version=old))
        heirs.append(heir)
    _write(session, heirs, changes)


def pin(session: Session, bot_id: int) -> None:
    """Make a bot the anchor, with ratings of 1500 from now on. The ledger must be locked."""
    bot = session.get_one(Bot, bot_id)
    if bot.pinned:
        return
    bot.pinned = True
    session.flush()
    places = _places(session, LadderPlace.bot_id == bot_id)
    number = next_number(session) if places else 0
    changes = [_changed(place, elo.ANCHOR, EntryKind.PIN, number) for place in places]
    _write(session, places, changes)


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
    places, changes = [], []
    for (change, _), ranked in zip(rows, table, strict=True):
        holding = carriers(change.version_id, _inheritances_after(session, change))
        for version in {change.version_id: None, **dict.fromkeys(holding)}:
            own = LadderPlace.seats == change.seats, LadderPlace.version_id == version
            (place,) = _places(session, *own)
            after = _skill(place)
            if version in holding:
                after = elo.without(after, _before(change), _after(change))
            changes.append(_changed(place, after, EntryKind.ANNULMENT, number, match_id))
            if version == change.version_id:
                _tally(place, ranked, -1)
            places.append(place)
    _write(session, places, changes)
    if rows[0][0].kind is EntryKind.RESULT:
        pairs = elo.pairs([_before(change) for change, _ in rows])
        tallies.count(session, table, pairs, sign=-1)


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


def _changed(
    place: dict[str, int],
    after: Skill,
    kind: EntryKind,
    number: int,
    match_id: int | None = None,
    from_version: int | None = None,
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
        "from_version_id": from_version,
        "before_milli": before.rating,
        "after_milli": after.rating,
        "before_deviation_milli": before.deviation,
        "after_deviation_milli": after.deviation,
    }


def _tally(place: dict[str, int], ranked: Ranked, sign: int) -> None:
    """Add a result to the counts of a place, or take it back."""
    place["games"] += sign
    place["wins"] += sign * (ranked.rank == 1)
    place["faults"] += sign * ranked.faulted


def _write(
    session: Session, places: Sequence[dict[str, int]], changes: Sequence[dict[str, Any]]
) -> None:
    """Write places with their new ratings, and the rows of the ledger that led to them."""
    if changes:
        model.execute(session, _CHANGE, changes)
        _PLACES.put(session, places)


def _skill(place: dict[str, int]) -> Skill:
    return Skill(place["rating_milli"], place["deviation_milli"])


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
    found = {
        row.version_id: dict(row._mapping) for row in model.execute(session, _STANDING, at_table)
    }
    places = []
    for bot_id, version_id in table:
        start = elo.ANCHOR if bot_id in pinned else elo.NEWCOMER
        places.append(found.get(version_id) or _new_place(len(table), version_id, bot_id, start))
    return places


def _places(session: Session, *where: ColumnElement[bool]) -> list[dict[str, int]]:
    """Read the places that fulfil `where` as rows, by table size."""
    found = session.execute(_PLACE.where(*where).order_by(LadderPlace.seats))
    return [dict(row._mapping) for row in found]


def _new_place(seats: int, version_id: int, bot_id: int, skill: Skill) -> dict[str, int]:
    counts = {"games": 0, "wins": 0, "faults": 0}
    ratings = {"rating_milli": skill.rating, "deviation_milli": skill.deviation}
    return {"seats": seats, "version_id": version_id, "bot_id": bot_id, **ratings, **counts}


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
