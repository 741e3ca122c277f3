"""The ladders, one for each table size; the ledger of rating changes; what is counted from it."""

from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from ladder.model.base import Base, sql_list, stored


class Ladder(Base):
    """The ladder of one table size: if matches are made for it (`open`), and with which clock.

    `share` is its part of the mix: a ladder of share 2 gets twice the matches of one of share 1.
    """

    __tablename__ = "ladders"
    __table_args__ = (
        sa.CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        sa.CheckConstraint("share >= 0", "share"),
    )

    seats: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    open: Mapped[bool] = mapped_column(server_default=sa.text("true"))
    share: Mapped[int] = mapped_column(server_default="1")
    one_owner: Mapped[bool] = mapped_column(server_default=sa.text("false"))
    """True if two bots of one owner may meet; house bots always may."""
    hosted_only: Mapped[bool] = mapped_column(server_default=sa.text("false"))
    """True if only hosted bots play on it: all on equal hardware."""
    move_limit_ms: Mapped[int] = mapped_column(server_default="10000")
    bank_ms: Mapped[int] = mapped_column(server_default="60000")
    increment_ms: Mapped[int] = mapped_column(server_default="500")
    start_up_ms: Mapped[int] = mapped_column(server_default="10000")


class Ledger(Base):
    """The one row whose lock orders the results of all ladders; holds the last result number.

    `rule` is the number of the rule by which everything was folded; see `elo.RULE`. While
    `rebuilding.renew` folds it anew, it is the mark of that run, which is negative.
    """

    __tablename__ = "ledger"
    __table_args__ = (sa.CheckConstraint("id = 1", "single"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    last_result: Mapped[int]
    rule: Mapped[int] = mapped_column(server_default="0")


class EntryKind(StrEnum):
    """The kinds of ledger entries, by what changes the rating."""

    RESULT = "result"
    INHERITANCE = "inheritance"
    ANNULMENT = "annulment"
    PIN = "pin"
    MISSED = "missed"


class RatingChange(Base):
    """One version's rating and deviation before and after one entry of the ledger, in milli-Elo.

    A new version inherits the rating of another one (`from_version_id`), an annulment takes a
    result's change back, a bot that becomes the anchor is set on its rating, and a bot that would
    not play its match (`missed`) loses it alone: these are entries too, and have result numbers of
    their own.
    """

    __tablename__ = "rating_changes"
    __table_args__ = (
        sa.CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        sa.CheckConstraint(f"kind IN {sql_list(EntryKind)}", "kind"),
        sa.CheckConstraint("kind IN ('inheritance', 'pin') OR match_id IS NOT NULL", "match"),
        sa.UniqueConstraint("match_id", "version_id", "kind"),
        sa.Index(None, "bot_id", "seats", "result_number"),
        sa.Index(None, "result_number"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[EntryKind] = mapped_column(stored(EntryKind))
    match_id: Mapped[int | None] = mapped_column(sa.ForeignKey("matches.id"))
    result_number: Mapped[int]
    seats: Mapped[int]
    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"))
    version_id: Mapped[int] = mapped_column(sa.ForeignKey("versions.id"))
    from_version_id: Mapped[int | None] = mapped_column(sa.ForeignKey("versions.id"))
    before_milli: Mapped[int]
    after_milli: Mapped[int]
    before_deviation_milli: Mapped[int] = mapped_column(server_default="0")
    after_deviation_milli: Mapped[int] = mapped_column(server_default="0")


class LadderPlace(Base):
    """A version on the ladder of one table size: the fold of its ledger rows, and counts.

    A win is a first rank, shared or not. Only the place of a bot's active version is shown.
    """

    __tablename__ = "ladder_places"
    __table_args__ = (
        sa.CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        sa.Index(None, "seats", "rating_milli"),
        sa.Index(None, "bot_id"),
    )

    seats: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version_id: Mapped[int] = mapped_column(sa.ForeignKey("versions.id"), primary_key=True)
    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"))
    rating_milli: Mapped[int]
    deviation_milli: Mapped[int] = mapped_column(server_default="350000")
    games: Mapped[int] = mapped_column(default=0)
    wins: Mapped[int] = mapped_column(default=0)
    faults: Mapped[int] = mapped_column(default=0)


class Strength(Base):
    """A version's strength by all matches of a ladder together, on the Elo scale, in thousandths.

    `low_milli` and `high_milli` bound the 95 % interval; `last_result` is the newest that counted.
    """

    __tablename__ = "strengths"

    seats: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version_id: Mapped[int] = mapped_column(sa.ForeignKey("versions.id"), primary_key=True)
    strength_milli: Mapped[int]
    low_milli: Mapped[int]
    high_milli: Mapped[int]
    last_result: Mapped[int]
    computed_at: Mapped[datetime]


class MeetingTally(Base):
    """How often a bot met another at tables of one size, and its half points against it.

    A better rank is worth two half points, a shared one one; `expected_milli` sums what the ratings
    let expect, in thousandths of a point. `tributes` counts what the bot took from the other by El
    Zorro, `faults` the bot's own at these tables. Each pair has two rows, one a side.
    """

    __tablename__ = "meetings"

    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"), primary_key=True)
    opponent_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"), primary_key=True)
    seats: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    games: Mapped[int]
    half_points: Mapped[int]
    expected_milli: Mapped[int] = mapped_column(sa.BigInteger, server_default="0")
    tributes: Mapped[int] = mapped_column(server_default="0")
    faults: Mapped[int] = mapped_column(server_default="0")


class SeatTally(Base):
    """How a bot did on one seat at tables of one size. A shared first rank is a share of a win;
    wins are counted in twelfths, so that all shares are whole."""

    __tablename__ = "seat_tallies"

    seats: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"), primary_key=True)
    games: Mapped[int]
    win_twelfths: Mapped[int]


class NeighbourTally(Base):
    """How a bot did when another one moved before it; counted as in SeatTally."""

    __tablename__ = "neighbour_tallies"

    seats: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"), primary_key=True)
    before_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"), primary_key=True)
    games: Mapped[int]
    win_twelfths: Mapped[int]


class FairnessReport(Base):
    """The newest report on the fairness of a ladder (JSON); see `ladder.ratings.fairness`."""

    __tablename__ = "fairness_reports"

    seats: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    report: Mapped[str]
    last_result: Mapped[int]
    computed_at: Mapped[datetime]


class Favours(Base):
    """The favours of a rated match: what decisions gave others (`ladder.ratings.collusion`).

    `milli` has whole numbers, thousandths of a VP or of a decision. It is empty if the game cannot
    be played again. Other `version`s are out of date.
    """

    __tablename__ = "favours"

    match_id: Mapped[int] = mapped_column(sa.ForeignKey("matches.id"), primary_key=True)
    version: Mapped[int]
    milli: Mapped[str]
