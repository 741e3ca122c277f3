"""Bots as everybody may see them."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ladder.bots import profiles
from ladder.bots.profiles import HeadToHead, LadderPlace, ListedBot
from web.api.fields import Answer, Page, Paging, page_of
from web.api.operations import Part
from web.database import session

part = Part("bots", "Bots and their versions.")


class BotPage(Page):
    """Bots, newest first."""

    bots: list[ListedBot]


class Bot(Answer):
    """A bot. `self_declared`: nobody but its author knows which program answers."""

    id: int = Field(validation_alias="bot_id")
    name: str
    author_id: int
    author: str
    state: str = Field(examples=["active"])
    """active, paused or retired"""
    self_declared: bool
    offline: bool
    pinned: bool
    version: str
    """The active one; empty if there is none."""
    ratings: list[LadderPlace]
    head_to_head: list[HeadToHead]


class PlayedVersion(Answer):
    """A version that is active, or was it before a newer one (superseded)."""

    id: int
    name: str
    language: str | None
    state: str
    activated_at: datetime


class Versions(Page):
    """The versions of a bot, newest first."""

    versions: list[PlayedVersion]


@part.get("/bots")
def every_bot(given: Paging) -> BotPage:
    """Bots that have an active version, newest first."""
    found = profiles.newest(session(), before=given.before, limit=given.limit + 1)
    shown, following = page_of(found, given.limit)
    return BotPage(bots=shown, next=following)


@part.get("/bots/{bot_id}")
def bot(bot_id: int) -> Bot:
    """One bot: its places on the ladders, and its score against other bots."""
    return Bot.model_validate(profiles.profile(session(), bot_id))


@part.get("/bots/{bot_id}/versions")
def versions(bot_id: int, given: Paging) -> Versions:
    """The versions of a bot that are or were active, newest first."""
    found = profiles.versions(session(), bot_id, before=given.before, limit=given.limit + 1)
    shown, following = page_of(found, given.limit)
    return Versions.model_validate({"versions": shown, "next": following})
