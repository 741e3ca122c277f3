"""The settings of the ladders: open or closed, share of the matches, clock, who may play."""

from dataclasses import astuple, dataclass
from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.errors import Forbidden, Invalid, NotFound
from ladder.matches.queue import clock_columns, clock_of
from ladder.model import write
from ladder.people.accounts import Account, record_action
from referee.clock import Clock

MOST_SHARE: Final = 1000
_HOSTED_ONLY: Final = select(model.Ladder.hosted_only).where(
    model.Ladder.seats == bindparam("seats")
)


@dataclass(frozen=True, slots=True)
class LadderSettings:
    """The settings of the ladder of one table size.

    `share` is its part of the matches, in proportion to the other ladders' shares. If `one_owner`
    is true, two bots of one owner may meet; house bots always may. If `hosted_only` is true, only
    hosted bots play on it.
    """

    seats: int
    open: bool
    share: int
    one_owner: bool
    clock: Clock
    hosted_only: bool = False


def every(session: Session) -> list[LadderSettings]:
    """Read the settings of all ladders, by table size."""
    query = select(model.Ladder).order_by(model.Ladder.seats)
    rows = session.scalars(query, execution_options={"populate_existing": True})
    return [ladder_of(row) for row in rows]


def change(
    session: Session,
    account: Account | None,
    seats: int,
    *,
    open: bool | None = None,
    share: int | None = None,
    one_owner: bool | None = None,
    clock: Clock | None = None,
    hosted_only: bool | None = None,
) -> LadderSettings:
    """Change the given settings of a ladder for all matches made from now on.

    `account` is who changes them, None at the operator's command line. Raises Forbidden unless it
    is an admin's, NotFound, Invalid (`share`). The caller commits.
    """
    if account is not None and not account.is_admin:
        raise Forbidden("only admins change the ladders")
    if share is not None and not 0 <= share <= MOST_SHARE:
        raise Invalid("share", "a share is a whole number from 0 to %(most)s", most=MOST_SHARE)
    write(session)
    row = session.get(model.Ladder, seats, with_for_update=True, populate_existing=True)
    if row is None:
        raise NotFound("there is no ladder for tables of %(seats)s", seats=seats)
    before = ladder_of(row)
    row.open = row.open if open is None else open
    row.share = row.share if share is None else share
    row.one_owner = row.one_owner if one_owner is None else one_owner
    row.hosted_only = row.hosted_only if hosted_only is None else hosted_only
    if clock is not None:
        for column, milliseconds in clock_columns(clock).items():
            setattr(row, column, milliseconds)
    after = ladder_of(row)
    if after != before:
        record_action(session, account, "ladder", f"ladder {seats}", _difference(before, after))
        session.flush()
    return after


def ladder_of(row: model.Ladder) -> LadderSettings:
    """Return the settings in a row."""
    return LadderSettings(
        row.seats, row.open, row.share, row.one_owner, clock_of(row), row.hosted_only
    )


def is_hosted_only(session: Session, seats: int) -> bool:
    """Return True if only hosted bots play on the ladder of this table size."""
    return bool(session.scalar(_HOSTED_ONLY, {"seats": seats}))


def _difference(before: LadderSettings, after: LadderSettings) -> str:
    words = zip(_words(before), _words(after), strict=True)
    return ", ".join(f"{was} → {now}" for was, now in words if was != now)


def _words(ladder: LadderSettings) -> tuple[str, ...]:
    clock = "/".join(f"{seconds:g}" for seconds in astuple(ladder.clock))
    return (
        "open" if ladder.open else "closed",
        f"share {ladder.share}",
        "bots of one owner meet" if ladder.one_owner else "bots of one owner do not meet",
        f"clock {clock} s",
        "hosted bots only" if ladder.hosted_only else "all bots",
    )
