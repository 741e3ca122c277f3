"""What authors do with their bots. The bots of others are answered as what is not there."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ladder import bots
from ladder.bots import OwnBot
from ladder.people.accounts import Account
from web import limits
from web.api.operations import Part
from web.api.schemas import accounts as account_schemas
from web.api.schemas import bots as schemas
from web.api.schemas.base import Paging, page_of
from web.bots.submitting import public_gateway
from web.database import session

part = Part("own_bots", "Your own account and bots: submit, pause, resume, retire, read the log.")

_EXAMPLE = {
    "name": "zorro",
    "version": "1.2",
    "address": "bot.example.org:443",
    "secret": "0123456789abcdef0123456789abcdef",
    "slots": 4,
    "language": "Rust",
}


@part.get("/account", account_schemas.Account(), scope="read")
def account(asking: Account) -> object:
    """Whose token this is."""
    return asking


@part.get("/account/bots", schemas.OwnBots(), query=Paging(), scope="read")
def own_bots(asking: Account, given: dict[str, Any]) -> object:
    """Your bots, newest first, with their newest versions, reports included."""
    limit = given["limit"]
    found = bots.own_bots(session(), asking, before=given["before"], limit=limit + 1)
    return page_of(found, limit, "id", "bots")


@part.get("/account/bots/{bot_id}", schemas.OwnBot(), scope="read")
def own_bot(bot_id: int, asking: Account) -> object:
    """One of your bots: how far a new version has come, and what was found of it."""
    return bots.own(session(), asking, bot_id)


@part.get("/account/bots/{bot_id}/versions", schemas.OwnVersions(), query=Paging(), scope="read")
def own_versions(bot_id: int, asking: Account, given: dict[str, Any]) -> object:
    """All versions of one of your bots, newest first."""
    found = bots.own_versions(session(), asking, bot_id, **given)
    return {"versions": found.versions, "next": found.next_before}


@part.get("/bots/{bot_id}/log", schemas.Log(), query=schemas.LogQuery(), scope="read")
def log(bot_id: int, asking: Account, given: dict[str, Any]) -> object:
    """The matches of your bot as the referee saw them: faults, think times, what it sent."""
    found = bots.log(
        session(),
        asking,
        bot_id,
        before=given["before"],
        limit=given["limit"],
        faults_only=given["which"] == "faults",
    )
    return {"entries": found.entries, "next": found.next_before}


@part.post(
    "/bots",
    schemas.Submission(),
    status=201,
    body=schemas.NewVersion(),
    scope="bots",
    example=_EXAMPLE,
)
def submit(asking: Account, given: dict[str, Any]) -> object:
    """Submit a bot, or a new version of one of yours.

    It is checked and plays a trial match before it plays for the ladder.
    """
    limits.submission(asking)
    made = bots.submit(session(), asking, **given)
    session().commit()
    return {**asdict(made), "gateway": public_gateway() if made.gateway_token else None}


@part.post("/bots/{bot_id}/pause", schemas.OwnBot(), scope="bots")
def pause(bot_id: int, asking: Account) -> OwnBot:
    """Let your bot play no more until it is resumed."""
    bots.pause(session(), asking, bot_id)
    return _changed(asking, bot_id)


@part.post("/bots/{bot_id}/resume", schemas.OwnBot(), scope="bots")
def resume(bot_id: int, asking: Account) -> OwnBot:
    """Let your bot play again."""
    bots.resume(session(), asking, bot_id)
    return _changed(asking, bot_id)


@part.post("/bots/{bot_id}/retire", schemas.OwnBot(), scope="bots")
def retire(bot_id: int, asking: Account) -> OwnBot:
    """Take your bot from the ladder for good; its games stay."""
    bots.retire(session(), asking, bot_id)
    return _changed(asking, bot_id)


@part.post("/bots/{bot_id}/gateway-token", schemas.GatewayToken(), scope="bots")
def renew_gateway_token(bot_id: int, asking: Account) -> object:
    """A new token with which your bot joins the gateway; the one before is void."""
    token = bots.renew_token(session(), asking, bot_id)
    session().commit()
    return {"gateway_token": token, "gateway": public_gateway()}


@part.post("/bots/{bot_id}/versions/{version_id}/withdraw", schemas.OwnBot(), scope="bots")
def withdraw(bot_id: int, version_id: int, asking: Account) -> OwnBot:
    """Take back a version of yours that is still being checked."""
    bots.withdraw(session(), asking, bot_id, version_id)
    return _changed(asking, bot_id)


def _changed(asking: Account, bot_id: int) -> OwnBot:
    session().commit()
    return bots.own(session(), asking, bot_id)
