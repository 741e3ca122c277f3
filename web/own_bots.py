"""An author's own bots: follow, pause, resume, retire, read logs, challenge others."""

from datetime import timedelta
from typing import Final

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from ladder.bots import availability, logs, own, submitting, versions
from ladder.casual import outputs
from ladder.contests import challenges
from ladder.contests.challenges import MOST_OPPONENTS, MOST_WAITING
from ladder.errors import Invalid, LadderError, Refused
from ladder.model import BotState
from referee.fault_reports import debug_line
from referee.replay import file_name
from web import errors, identity, limits, parameters, security
from web.database import commit_and_show, session
from web.languages import gettext as _
from web.parameters import BOT
from web.submissions import public_gateway, show_token

blueprint = Blueprint("own_bots", __name__)
blueprint.after_request(security.no_store)

_ACTIONS: Final = {
    "pause": availability.pause,
    "resume": availability.resume,
    "retire": availability.retire,
    "open-to-people": availability.open_to_people,
    "close-to-people": availability.close_to_people,
}
_NAMES: Final = ", ".join(map(repr, _ACTIONS))
_PAGE: Final = 50
_BOTS: Final = 20
_OFFERED: Final = 100
"""The most own bots that the form of a challenge offers; others are found by its search."""
_SENT_TWICE: Final = timedelta(seconds=5)
"""The time in which the same challenge comes of a second click: without script none is held."""


@blueprint.get("/bots/mine")
def mine() -> ResponseReturnValue:
    """List the user's bots; ?page= pages."""
    account = identity.signed_in()
    last = parameters.pages(own.count_bots(session(), account), _BOTS)
    page = min(parameters.page(), max(last, 1))
    found = own.bots(session(), account, page=page, limit=_BOTS)
    playing = [bot.id for bot in found if bot.state is not BotState.RETIRED]
    glances = logs.glances(session(), playing)
    return render_template(
        "bots/mine.html", bots=found, glances=glances, page=page, pages_in_all=last
    )


@blueprint.get(f"{BOT}/own")
def page(bot_id: int) -> ResponseReturnValue:
    """Show a bot's state, its versions (?before= pages), and the actions on it."""
    account, before = identity.signed_in(), parameters.number("before")
    return render_template(
        "bots/own.html",
        bot=own.bot(session(), account, bot_id),
        page=own.versions(session(), account, bot_id, before=before),
        entered=versions.entered(session(), bot_id),
        gateway=public_gateway(),
    )


@blueprint.post(f"{BOT}/<any({_NAMES}):action>")
def change(bot_id: int, action: str) -> ResponseReturnValue:
    """Pause, resume or retire a bot, or open or close it to people."""
    _ACTIONS[action](session(), identity.signed_in(), bot_id)
    return commit_and_show(".page", bot_id=bot_id)


@blueprint.get(f"{BOT}/log")
def log(bot_id: int) -> ResponseReturnValue:
    """List its matches as the referee saw them; ?before= pages, ?faults=1 shows only faults."""
    account, before = identity.signed_in(), parameters.number("before")
    faults = parameters.is_set("faults")
    found = logs.log(session(), account, bot_id, before=before, limit=_PAGE, faults_only=faults)
    newest = before is None and not faults
    return render_template(
        "bots/log.html",
        bot=own.bot(session(), account, bot_id),
        page=found,
        casual=outputs.of_bot(session(), account, bot_id) if newest else (),
        faults=faults,
        debug_line=debug_line,
        replay_name=file_name,
    )


@blueprint.post(f"{BOT}/token")
def renew_token(bot_id: int) -> ResponseReturnValue:
    """Create a new gateway token and show it, once."""
    account = identity.signed_in()
    token = submitting.renew_token(session(), account, bot_id)
    session().commit()
    return show_token(own.bot(session(), account, bot_id), token)


@blueprint.get("/challenge")
def challenge_form() -> ResponseReturnValue:
    """Show the form: ?bot= is the user's, ?opponent= (several) the others.

    ?own_search= finds more of the user's bots, ?search= more opponents.
    """
    identity.signed_in()
    return _challenge_page(parameters.number("bot"), _ids(request.args.getlist("opponent")))


@blueprint.post("/challenge")
def challenge() -> ResponseReturnValue:
    """Queue an unrated match against chosen bots, then show it."""
    account = identity.signed_in()
    limits.CHALLENGE.count(account)
    (bot_id,) = _ids([parameters.field("bot")])
    opponents = _ids(request.form.getlist("opponent"))
    try:
        match_id = challenges.challenge(
            session(), account, bot_id, opponents, same_within=_SENT_TWICE
        )
    except (Invalid, Refused) as error:
        session().rollback()
        return _challenge_page(bot_id, opponents, error)
    return commit_and_show("matches.match", match_id=match_id)


def _challenge_page(
    bot_id: int | None, chosen: list[int], error: LadderError | None = None
) -> ResponseReturnValue:
    search, own_search = parameters.text("search"), parameters.text("own_search")
    account = identity.signed_in()
    mine = challenges.challengers(
        session(), account, search=own_search, chosen=bot_id, most=_OFFERED + 1
    )
    ids = [bot.id for bot in mine]
    page = render_template(
        "bots/challenge.html",
        mine=mine[:_OFFERED],
        most_offered=_OFFERED,
        more=len(mine) > _OFFERED,
        own_search=own_search,
        accepted=bool(mine) or own.has_active_bot(session(), account),
        own=bot_id if bot_id in ids else next(iter(ids), None),
        opponents=challenges.opponents(session(), chosen),
        chosen=chosen,
        found=challenges.find(session(), search),
        search=search,
        most=MOST_OPPONENTS,
        most_waiting=MOST_WAITING,
        wrong=None if error is None else errors.sentence(error),
    )
    return page, errors.status_of(error)


def _ids(texts: list[str]) -> list[int]:
    ids = [found for text in texts if (found := parameters.as_number(text))]
    if len(texts) > MOST_OPPONENTS or len(ids) < len(texts):
        abort(400, _("Choose 1 to %(most)s opponents by their ids.", most=MOST_OPPONENTS))
    return list(dict.fromkeys(ids))
