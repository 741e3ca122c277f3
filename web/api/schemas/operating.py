"""What an admin sees of the service, and does to it."""

from __future__ import annotations

from marshmallow import fields

from ladder.contests.ladders import MOST_SHARE
from ladder.model import MatchState
from ladder.people.audit import LONGEST_REASON
from web.api.fields import YesNo, one_of, text, whole
from web.api.schemas.base import Answer, Given


class Reason(Given):
    """Why it is done: it stands in the audit, and authors are told."""

    reason = text(LONGEST_REASON, required=True, metadata={"examples": ["It answers nobody."]})


class LadderChange(Given):
    """Whether matches are made for a ladder, and its part of the mix."""

    open = YesNo(required=True)
    share = whole(0, MOST_SHARE, required=True)


class UnderWayQuery(Given):
    """Which matches."""

    state = one_of((MatchState.RUNNING, MatchState.QUEUED), load_default=MatchState.RUNNING)


class ByKind(Answer):
    """How many matches of each kind."""

    validation = fields.Integer()
    challenge = fields.Integer()
    tournament = fields.Integer()
    ladder = fields.Integer()


class Queue(Answer):
    """How the queue stands. `oldest_waiting`: seconds since the oldest match was made that waits
    though it may be played; `failed`: all that were ever given up."""

    queued = fields.Nested(ByKind)
    running = fields.Nested(ByKind)
    oldest_waiting = fields.Float()
    failed = fields.Integer()


class UnderWay(Answer):
    """A match that waits or is played. `late`: its worker gave no sign of life for too long."""

    id = fields.Integer()
    kind = fields.String()
    bots = fields.List(fields.String(), metadata={"description": "By seat."})
    worker = fields.String(allow_none=True)
    attempt = fields.Integer()
    interruptions = fields.Integer()
    unreached = fields.Integer()
    created_at = fields.DateTime()
    started_at = fields.DateTime(allow_none=True)
    not_before = fields.DateTime(allow_none=True)
    late = fields.Boolean()


class MatchesUnderWay(Answer):
    """The longest played, or the oldest that wait, first."""

    matches = fields.List(fields.Nested(UnderWay))


class BotState(Answer):
    """How a bot stands. `barred`: only an admin can resume it."""

    id = fields.Integer()
    name = fields.String()
    author = fields.String()
    state = fields.String(metadata={"description": "active, paused or retired"})
    reason = fields.String(allow_none=True)
    offline_since = fields.DateTime(allow_none=True)
    barred = fields.Boolean()


class BotsAway(Answer):
    """Bots that are paused or out of reach, newest first."""

    bots = fields.List(fields.Nested(BotState))


class InValidation(Answer):
    """A version that is submitted, being checked or on trial."""

    bot_id = fields.Integer()
    bot = fields.String()
    author = fields.String()
    version = fields.String()
    state = fields.String()
    trial_match_id = fields.Integer(allow_none=True)
    created_at = fields.DateTime()


class Validation(Answer):
    """In the order of submission."""

    versions = fields.List(fields.Nested(InValidation))


class LadderState(Answer):
    """A ladder: whether matches are made for it, and its part of the mix."""

    seats = fields.Integer()
    open = fields.Boolean()
    share = fields.Integer()


class Ladders(Answer):
    """By table size."""

    ladders = fields.List(fields.Nested(LadderState))
