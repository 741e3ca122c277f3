"""Bots as everyone sees them, an author's own bots, and challenges.

An author's bot is a 404 for other authors.
"""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from ladder.bots import availability, logs, own, profiles, submitting
from ladder.bots.logs import LogEntry
from ladder.bots.own import OwnVersion
from ladder.bots.profiles import HeadToHead, LadderPlace, ListedBot, PlayedVersion
from ladder.bots.terms import LONGEST_SECRET, MOST_SLOTS
from ladder.bots.versions import EnteredTournament
from ladder.contests import challenges
from ladder.matches import reading
from ladder.matches.debts import MissedMatch, OwedMatch
from ladder.people.accounts import Account
from web import limits
from web.api.matches import Match
from web.api.operations import Answer, CallGroup, Id, Input, Page, Paging, Text
from web.database import session
from web.parameters import page_of
from web.submissions import ladders_for, public_gateway, require_gateway

group = CallGroup("bots", "Bots and their versions.")
own_group = CallGroup(
    "own_bots", "Your own account and bots: submit, pause, resume, retire, read the log."
)
challenging = CallGroup(
    "challenges", "Unrated matches of your bots against others that you choose."
)

_EXAMPLE = {
    "name": "zorro",
    "version": "1.2",
    "address": "bot.example.org:443",
    "secret": "0123456789abcdef0123456789abcdef",
    "slots": 4,
    "language": "Rust",
}


class BotPage(Page):
    """Bots, newest first."""

    bots: list[ListedBot]


class Bot(Answer):
    """A bot. `self_declared`: only its author knows which program answers; it is not hosted."""

    id: int = Field(validation_alias="bot_id")
    name: str
    author_id: int
    author: str
    state: str = Field(examples=["active"])
    """active, paused or retired"""
    self_declared: bool
    runtime: str | None
    """The active version's, if it is hosted; null if it runs on a server of its own."""
    offline: bool
    pinned: bool
    version: str
    """The active one; empty if there is none."""
    ratings: list[LadderPlace]
    head_to_head: list[HeadToHead]
    owed: list[OwedMatch]
    """Matches of the ladder that it must play before any other there, oldest first."""
    missed: list[MissedMatch]
    """Those that it did not accept when called, and that are over: the newest."""


class Versions(Page):
    """The versions of a bot, newest first."""

    versions: list[PlayedVersion]


@group.get("/bots")
def every_bot(query: Paging) -> BotPage:
    """Bots that have an active version, newest first."""
    found = profiles.newest(session(), before=query.before, limit=query.limit + 1)
    shown, following = page_of(found, query.limit)
    return BotPage(bots=shown, next=following)


@group.get("/bots/{bot_id}")
def bot(bot_id: int) -> Bot:
    """One bot: its places on the ladders, and its score against other bots."""
    return Bot.model_validate(profiles.profile(session(), bot_id))


@group.get("/bots/{bot_id}/versions")
def versions(bot_id: int, query: Paging) -> Versions:
    """The versions of a bot that are or were active, newest first."""
    found = profiles.versions(session(), bot_id, before=query.before, limit=query.limit + 1)
    shown, following = page_of(found, query.limit)
    return Versions(versions=shown, next=following)


class OwnBot(Answer):
    """A bot as its author sees it."""

    id: int
    name: str
    state: str = Field(examples=["active"])
    """active, paused or retired"""
    pause_reason: str | None
    barred: bool
    """An admin has paused it, and only an admin can resume it."""
    suspended: bool
    """The ladder has suspended its active version for its faults; its tournaments go on."""
    offline_since: datetime | None
    slots: int
    faulted_in_a_row: int
    joined_version: str | None
    """The version that joined the gateway last, of those that are in."""
    joined_versions: list[str]
    """All versions that are in at the gateway now, the newest last."""
    open_to_people: bool
    """People may play casual games with it."""
    versions: list[OwnVersion]
    """The ten newest, and the active one; newest first."""


class OwnBots(Page):
    """Bots of an author, newest first."""

    bots: list[OwnBot]


class OwnVersions(Page):
    """Versions of a bot of yours, newest first."""

    versions: list[OwnVersion]


class LogQuery(Paging):
    """Which part of a bot's log to return."""

    which: Literal["all", "faults"] = "all"
    """`faults`: only matches in which it faulted."""


class Log(Page):
    """A bot's log, newest first."""

    entries: list[LogEntry]


class NewVersion(Input):
    """A bot, or a new version of one, to be checked.

    If it has an `address`, the referee dials it, and both share the `secret`; else it joins the
    gateway with its token, if the site has one.
    """

    name: Text = Field(min_length=1, max_length=40, examples=["zorro"])
    version: Text = Field(min_length=1, max_length=40, examples=["1.2"])
    address: Annotated[Text, Field(min_length=1, max_length=260)] | None = Field(
        None, examples=["bot.example.org:443"]
    )
    slots: int = Field(2, ge=1, le=MOST_SLOTS)
    """The number of games it plays at once."""
    secret: Annotated[Text, Field(min_length=1, max_length=LONGEST_SECRET)] | None = Field(
        None, repr=False
    )
    language: Annotated[Text, Field(min_length=1, max_length=30)] | None = Field(
        None, examples=["Rust"]
    )


class GatewayToken(Answer):
    """A new token; it replaces the previous one."""

    gateway_token: str = Field(repr=False)
    gateway: str = Field(examples=["gateway.example:50052"])
    """The address at which a bot joins with it."""


class Submission(Answer):
    """A submission. The gateway token is shown only now; null if there is none."""

    bot_id: int
    version_id: int
    gateway_token: str | None = Field(repr=False)
    gateway: str | None = Field(examples=["gateway.example:50052"])
    """The address at which a bot joins with it."""
    state: str
    entered: list[EnteredTournament]
    """The tournaments that older versions play to their end: keep these running beside this one."""
    plays_on: list[int] = Field(examples=[[2, 3, 4]])
    """The ladders, by table size, that make matches for it at the moment."""


class NewChallenge(Input):
    """A bot of yours, and the active bots that it plays against, by their ids."""

    bot: Id = Field(examples=[4])
    opponents: list[Id] = Field(
        min_length=1, max_length=challenges.MOST_OPPONENTS, examples=[[1, 2]]
    )


@own_group.get("/account", scope="read")
def account(account: Account) -> Account:
    """The account to which this token belongs."""
    return account


@own_group.get("/account/bots", scope="read")
def own_bots(account: Account, query: Paging) -> OwnBots:
    """Your bots, newest first, with their newest versions, reports included."""
    found = own.newest_bots(session(), account, before=query.before, limit=query.limit + 1)
    shown, following = page_of(found, query.limit)
    return OwnBots.model_validate({"bots": shown, "next": following})


@own_group.get("/account/bots/{bot_id}", scope="read")
def own_bot(bot_id: int, account: Account) -> OwnBot:
    """One of your bots: the state of its versions, and what their checks found."""
    return OwnBot.model_validate(own.bot(session(), account, bot_id))


@own_group.get("/account/bots/{bot_id}/versions", scope="read")
def own_versions(bot_id: int, account: Account, query: Paging) -> OwnVersions:
    """All versions of one of your bots, newest first."""
    found = own.versions(session(), account, bot_id, before=query.before, limit=query.limit)
    return OwnVersions(versions=list(found.versions), next=found.next_before)


@own_group.get("/bots/{bot_id}/log", scope="read")
def log(bot_id: int, account: Account, query: LogQuery) -> Log:
    """The matches of your bot as the referee saw them: faults, think times, what it sent."""
    found = logs.log(
        session(),
        account,
        bot_id,
        before=query.before,
        limit=query.limit,
        faults_only=query.which == "faults",
    )
    return Log(entries=list(found.entries), next=found.next_before)


@own_group.post("/bots", status=201, scope="bots", example=_EXAMPLE)
def submit(account: Account, body: NewVersion) -> Submission:
    """Submit a bot, or a new version of one of yours.

    It is checked and plays a trial match before it plays for the ladder.
    """
    if body.address is None:
        require_gateway("address")
    made = submitting.submit(session(), account, **body.model_dump())
    limits.SUBMISSION.count(account)
    session().commit()
    return submitted(made, hosted=False)


@own_group.post("/bots/{bot_id}/pause", scope="bots")
def pause(bot_id: int, account: Account) -> OwnBot:
    """Pause your bot until you resume it."""
    availability.pause(session(), account, bot_id)
    return changed(account, bot_id)


@own_group.post("/bots/{bot_id}/resume", scope="bots")
def resume(bot_id: int, account: Account) -> OwnBot:
    """Resume your bot."""
    availability.resume(session(), account, bot_id)
    return changed(account, bot_id)


@own_group.post("/bots/{bot_id}/open-to-people", scope="bots")
def open_to_people(bot_id: int, account: Account) -> OwnBot:
    """Let people play casual games with your bot; they change no rating."""
    availability.open_to_people(session(), account, bot_id)
    return changed(account, bot_id)


@own_group.post("/bots/{bot_id}/close-to-people", scope="bots")
def close_to_people(bot_id: int, account: Account) -> OwnBot:
    """Let nobody begin a casual game with your bot any more."""
    availability.close_to_people(session(), account, bot_id)
    return changed(account, bot_id)


@own_group.post("/bots/{bot_id}/retire", scope="bots")
def retire(bot_id: int, account: Account) -> OwnBot:
    """Retire your bot for good; its games stay."""
    availability.retire(session(), account, bot_id)
    return changed(account, bot_id)


@own_group.post("/bots/{bot_id}/gateway-token", scope="bots")
def renew_gateway_token(bot_id: int, account: Account) -> GatewayToken:
    """Create a new gateway token for your bot; it replaces the previous one."""
    token = submitting.renew_token(session(), account, bot_id)
    require_gateway("bot_id")  # for own bots alone: others' are not found
    session().commit()
    return GatewayToken(gateway_token=token, gateway=public_gateway())


@own_group.post("/bots/{bot_id}/versions/{version_id}/withdraw", scope="bots")
def withdraw(bot_id: int, version_id: int, account: Account) -> OwnBot:
    """Withdraw a version of yours that is still being checked."""
    submitting.withdraw(session(), account, bot_id, version_id)
    return changed(account, bot_id)


@own_group.post("/bots/{bot_id}/versions/{version_id}/retry", status=201, scope="bots")
def retry(bot_id: int, version_id: int, account: Account) -> Submission:
    """Submit a rejected version of yours again, as it was: it is checked once more."""
    limits.SUBMISSION.count(account)
    made = submitting.submit_again(session(), account, bot_id, version_id)
    session().commit()
    package = own.version(session(), account, bot_id, made.version_id).package
    return submitted(made, hosted=package is not None)


@challenging.post(
    "/challenges",
    status=201,
    scope="bots",
    example={"bot": 4, "opponents": [1, 2]},
    may_fail=(404,),
)
def challenge(account: Account, body: NewChallenge) -> Match:
    """Challenge one to three bots: an unrated match that is played as soon as possible.

    Seats and layout are drawn; the clock is that of the ladder.
    """
    limits.CHALLENGE.count(account)
    match_id = challenges.challenge(session(), account, body.bot, body.opponents)
    session().commit()
    return Match.model_validate(reading.match(session(), match_id))


def submitted(made: submitting.Submission, *, hosted: bool) -> Submission:
    """Return what to tell the author of a new version."""
    gateway = public_gateway() if made.gateway_token else None
    return Submission(**asdict(made), gateway=gateway, plays_on=ladders_for(hosted=hosted))


def changed(account: Account, bot_id: int) -> OwnBot:
    """Commit, and return the bot as it is now."""
    session().commit()
    return own_bot(bot_id, account)
