"""A bot's page: its places, its rating over time, whom it beats, its latest matches."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder import bots, matches
from web.charts import rating_lines
from web.database import session
from web.parameters import MOST

blueprint = Blueprint("bots", __name__)

_LATEST = 8


@blueprint.get(f"/bots/<int(max={MOST}):bot_id>")
def bot(bot_id: int) -> ResponseReturnValue:
    """The page of one bot."""
    profile = bots.profile(session(), bot_id)
    return render_template(
        "bots/bot.html",
        profile=profile,
        chart=rating_lines(profile.history),
        latest=matches.page(session(), bot_id=bot_id, limit=_LATEST).matches,
    )
