"""Bots as everybody may see them."""

from __future__ import annotations

from typing import Any

from ladder import bots
from ladder.bots import listing
from web.api.operations import Part
from web.api.schemas import bots as schemas
from web.api.schemas.base import Paging, page_of
from web.database import session

part = Part("bots", "Bots and their versions.")


@part.get("/bots", schemas.BotPage(), query=Paging())
def every_bot(given: dict[str, Any]) -> object:
    """The bots that have a version that plays, newest first."""
    limit = given["limit"]
    found = listing.page(session(), before=given["before"], limit=limit + 1)
    return page_of(found, limit, "id", "bots")


@part.get("/bots/{bot_id}", schemas.Bot())
def bot(bot_id: int) -> object:
    """One bot: its places on the ladders, and how it does against others."""
    return bots.profile(session(), bot_id)


@part.get("/bots/{bot_id}/versions", schemas.Versions(), query=Paging())
def versions(bot_id: int, given: dict[str, Any]) -> object:
    """The versions of a bot that play or have played, newest first."""
    limit = given["limit"]
    found = listing.versions(session(), bot_id, before=given["before"], limit=limit + 1)
    return page_of(found, limit, "id", "versions")
