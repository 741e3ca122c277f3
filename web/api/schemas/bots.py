"""Bots, as everybody and as their authors see them."""

from __future__ import annotations

from marshmallow import fields

from ladder.bots.submitting import LONGEST_SECRET, MOST_SLOTS
from web.api.fields import one_of, text, whole
from web.api.schemas.base import Answer, Given, Page, Paging

_STATE = {"description": "active, paused or retired", "examples": ["active"]}
_GATEWAY = {"description": "Where a bot joins with it.", "examples": ["gateway.example:50052"]}


class ListedBot(Answer):
    """A bot on the list."""

    id = fields.Integer()
    name = fields.String(metadata={"examples": ["zorro"]})
    author = fields.String(metadata={"examples": ["ana"]})
    version = fields.String(metadata={"examples": ["1.2"]})
    language = fields.String(allow_none=True)
    state = fields.String(metadata=_STATE)
    offline = fields.Boolean()
    house = fields.Boolean(metadata={"description": "Whether it is the operator's own."})


class BotPage(Page):
    """Bots, newest first."""

    bots = fields.List(fields.Nested(ListedBot))


class LadderPlace(Answer):
    """A bot's place on the ladder of one table size; see Standing."""

    seats = fields.Integer()
    rank = fields.Integer()
    rating_milli = fields.Integer(metadata={"description": "Thousandths of an Elo point."})
    games = fields.Integer()
    wins = fields.Integer()
    faults = fields.Integer()
    provisional = fields.Boolean()
    strength_milli = fields.Integer(allow_none=True)
    low_milli = fields.Integer(allow_none=True)
    high_milli = fields.Integer(allow_none=True)


class HeadToHead(Answer):
    """A bot against one other: a point for each better rank, half for a tie."""

    opponent_id = fields.Integer()
    name = fields.String()
    author = fields.String()
    points = fields.Float()
    games = fields.Integer()


class Bot(Answer):
    """A bot. `self_declared`: nobody but its author knows which program answers."""

    id = fields.Integer(attribute="bot_id")
    name = fields.String()
    author_id = fields.Integer()
    author = fields.String()
    state = fields.String(metadata=_STATE)
    self_declared = fields.Boolean()
    offline = fields.Boolean()
    pinned = fields.Boolean()
    version = fields.String(metadata={"description": "The one that plays; empty if none does."})
    ratings = fields.List(fields.Nested(LadderPlace))
    head_to_head = fields.List(fields.Nested(HeadToHead))


class PlayedVersion(Answer):
    """A version that plays (active) or has played (superseded)."""

    id = fields.Integer()
    name = fields.String()
    language = fields.String(allow_none=True)
    state = fields.String()
    activated_at = fields.DateTime()


class Versions(Page):
    """The versions of a bot, newest first."""

    versions = fields.List(fields.Nested(PlayedVersion))


class ReportLine(Answer):
    """What came of one check of the conformance suite."""

    name = fields.String()
    sentence = fields.String()
    state = fields.String()
    code = fields.String(allow_none=True)
    told = fields.String()
    seconds = fields.Float()


class Report(Answer):
    """What the conformance suite found."""

    passed = fields.Boolean()
    checks = fields.List(fields.Nested(ReportLine))


class OwnVersion(Answer):
    """A version as its author sees it."""

    id = fields.Integer()
    name = fields.String()
    state = fields.String(
        metadata={"description": "submitted, checking, trial, active, superseded or rejected"}
    )
    reason = fields.String(
        allow_none=True,
        metadata={"description": "Why it was rejected, or what its trial waits for."},
    )
    language = fields.String(allow_none=True)
    address = fields.String()
    report = fields.Nested(Report, allow_none=True)
    trial = fields.Integer(allow_none=True, metadata={"description": "The trial's match."})
    created_at = fields.DateTime()
    checked_at = fields.DateTime(allow_none=True)
    activated_at = fields.DateTime(allow_none=True)


class OwnBot(Answer):
    """A bot as its author sees it."""

    id = fields.Integer()
    name = fields.String()
    state = fields.String(metadata=_STATE)
    pause_reason = fields.String(allow_none=True)
    barred = fields.Boolean(
        metadata={"description": "An admin has paused it, and only an admin can resume it."}
    )
    offline_since = fields.DateTime(allow_none=True)
    slots = fields.Integer()
    faulted_in_a_row = fields.Integer()
    joined_version = fields.String(
        allow_none=True, metadata={"description": "The version that it told the gateway."}
    )
    versions = fields.List(
        fields.Nested(OwnVersion),
        metadata={"description": "The ten newest, and the active one; newest first."},
    )


class OwnVersions(Page):
    """Versions of a bot of yours, newest first."""

    versions = fields.List(fields.Nested(OwnVersion))


class OwnBots(Page):
    """Bots of an author, newest first."""

    bots = fields.List(fields.Nested(OwnBot))


class NewVersion(Given):
    """A bot, or a new version of one, to be checked.

    With an `address` the referee dials it, and both share the `secret`; without one it comes
    through the gateway with its token.
    """

    name = text(40, required=True, metadata={"examples": ["zorro"]})
    version = text(40, required=True, metadata={"examples": ["1.2"]})
    address = text(
        260,
        load_default=None,
        allow_none=True,
        metadata={"examples": ["bot.example.org:443"]},
    )
    slots = whole(
        1, MOST_SLOTS, load_default=2, metadata={"description": "Games that it plays at once."}
    )
    secret = text(LONGEST_SECRET, load_default=None, allow_none=True)
    language = text(30, load_default=None, allow_none=True, metadata={"examples": ["Rust"]})


class Submission(Answer):
    """What was submitted. The gateway token is shown this once; null where none was made."""

    bot_id = fields.Integer()
    version_id = fields.Integer()
    gateway_token = fields.String(allow_none=True)
    gateway = fields.String(allow_none=True, metadata=_GATEWAY)
    state = fields.String()


class GatewayToken(Answer):
    """A new token; the one before is void."""

    gateway_token = fields.String()
    gateway = fields.String(metadata=_GATEWAY)


class LogQuery(Paging):
    """Which part of a bot's log."""

    which = one_of(
        ("all", "faults"),
        load_default="all",
        metadata={"description": "`faults`: the matches in which it faulted."},
    )


class LogEntry(Answer):
    """A match that is over, as the referee saw the bot in it."""

    match_id = fields.Integer()
    kind = fields.String()
    state = fields.String()
    rated = fields.Boolean()
    reason = fields.String(allow_none=True)
    version = fields.String()
    seat = fields.Integer()
    rank = fields.Integer(allow_none=True)
    vp = fields.Integer(allow_none=True)
    fault = fields.String(allow_none=True)
    fault_sentence = fields.String(allow_none=True)
    opponents = fields.List(
        fields.String(), metadata={"description": "The others at the table, with their versions."}
    )
    received = fields.String(
        allow_none=True, metadata={"description": "The first bytes of what it had sent."}
    )
    decisions = fields.Integer(allow_none=True)
    think_ms = fields.Integer(allow_none=True)
    longest_ms = fields.Integer(allow_none=True)
    finished_at = fields.DateTime(allow_none=True)


class Log(Page):
    """A bot's log, newest first."""

    entries = fields.List(fields.Nested(LogEntry))
