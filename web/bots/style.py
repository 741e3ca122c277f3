"""How a bot plays: its favourite citizens and buildings, and what brings it victory points."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder import bots
from ladder.bots import styles
from web.database import session
from web.parameters import MOST

blueprint = Blueprint("bot_style", __name__)


@blueprint.get(f"/bots/<int(max={MOST}):bot_id>/style")
def style(bot_id: int) -> ResponseReturnValue:
    """Told from its newest games."""
    profile = bots.profile(session(), bot_id)
    return render_template(
        "bots/style.html", profile=profile, style=styles.style(session(), bot_id), most=styles.GAMES
    )
