"""Looks whether a bot is there: a question that costs little, and asks for no game."""

from __future__ import annotations

import logging

from ladder.bots.addresses import OutOfBounds
from ladder.bots.dialling import ways_to
from ladder.bots.reach import Look
from referee.seats.description import NotDescribed, told_version
from referee.ways import Ways

_log = logging.getLogger(__name__)


async def look_for(look: Look) -> bool:
    """Whether the bot says who it is, at the address that is looked up and checked anew."""
    try:
        ways = await ways_to(look.address, look.secret, Ways.from_environment(), house=look.house)
        await told_version(look.address, ways)
    except (OutOfBounds, NotDescribed) as error:
        _log.info("bot %d, %s, is still away: %s", look.bot_id, look.name, error)
        return False
    except Exception:
        _log.exception("bot %d, %s, could not be looked for", look.bot_id, look.name)
        return False
    return True
