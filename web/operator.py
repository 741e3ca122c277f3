"""Pages for admins: the state of the queue and the workers, and actions on what is stuck.

An action on a match, a bot or a ladder has a page of its own and asks for a reason. Organisers
annul matches there.
"""

from collections.abc import Callable, Mapping
from typing import Final

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from ladder.analyses import queue as analyses
from ladder.bots import bans, profiles
from ladder.contests import ladders
from ladder.errors import Invalid
from ladder.jobs import workers
from ladder.matches import reading
from ladder.matches.listing import list_matches
from ladder.matches.queue import queue_state
from ladder.model import MatchKind, MatchState
from ladder.operating import bot_control, hosting, match_control
from ladder.people.accounts import Account
from ladder.ratings import fairness, rebuilding
from ladder.ratings.fairness import WorkerRecord
from web import errors, identity, parameters, security
from web.database import commit_and_show, session
from web.formats import SEATS
from web.parameters import BOT, MOST

blueprint = Blueprint("operator", __name__, url_prefix="/operator")
blueprint.after_request(security.no_store)

_FAILED = 20

_Action = Callable[[Session, Account, int, str], None]

_MATCH_ACTIONS: Final[Mapping[str, _Action]] = {
    "cancel": match_control.cancel,
    "requeue": match_control.requeue,
    "annul": match_control.annul,
}
_POSSIBLE: Final = {
    MatchState.QUEUED: ("cancel",),
    MatchState.RUNNING: ("requeue", "cancel"),
    MatchState.FAILED: ("requeue",),
    MatchState.FINISHED: ("annul",),
}
"""The actions allowed on a match, by its state."""
_BOT_ACTIONS: Final[Mapping[str, _Action]] = {
    "pause": bot_control.pause,
    "bar": bot_control.bar,
    "resume": bot_control.resume,
}

_HOSTING_ACTIONS: Final[Mapping[str, Callable[[Session, Account, str, str], None]]] = {
    "drain": hosting.drain,
    "undrain": hosting.undrain,
    "ban": hosting.ban,
    "unban": hosting.unban,
}


@blueprint.get("")
def queue() -> ResponseReturnValue:
    """Show what waits, runs and failed, the workers, and the bots that are offline."""
    identity.admin()
    return render_template(
        "operator/queue.html",
        kinds=tuple(MatchKind),
        queue=queue_state(session()),
        analyses=analyses.queue_state(session()),
        unanalysed=analyses.failures(session(), limit=_FAILED),
        running=match_control.running(session()),
        waiting=match_control.waiting_longest(session()),
        workers=workers.living(session()),
        faults=_faults(),
        failed=list_matches(session(), state=MatchState.FAILED, limit=_FAILED).matches,
        away=bot_control.away(session()),
        validation=bot_control.validation(session()),
        ladders=ladders.every(session()),
        outdated=rebuilding.is_outdated(session()),
    )


@blueprint.get("/match")
def find_match() -> ResponseReturnValue:
    """Go to the page of the match ?match=."""
    identity.admin()
    match_id = parameters.number("match")
    if match_id is None:
        return redirect(url_for(".queue"))
    return redirect(url_for(".match", match_id=match_id))


@blueprint.get(f"/matches/<int(max={MOST}):match_id>")
def match(match_id: int) -> ResponseReturnValue:
    """Show a match and the actions on it; a finished match to organisers as well."""
    account = identity.signed_in()
    row = reading.match(session(), match_id, named=True)
    if not (account.may_organise and row.state == MatchState.FINISHED):
        identity.admin()
    possible = () if row.annul_reason else _POSSIBLE.get(row.state, ())
    return render_template("operator/match.html", match=row, possible=possible)


@blueprint.post(f"/matches/<int(max={MOST}):match_id>/<any(cancel, requeue, annul):action>")
def change_match(match_id: int, action: str) -> ResponseReturnValue:
    """Cancel a match, queue it again or annul it."""
    account = identity.signed_in() if action == "annul" else identity.admin()
    _confirmed()
    _MATCH_ACTIONS[action](session(), account, match_id, parameters.field("reason"))
    return commit_and_show(".match", match_id=match_id)


@blueprint.get(BOT)
def bot(bot_id: int) -> ResponseReturnValue:
    """Show a bot and the actions on it."""
    identity.admin()
    found = bot_control.bot(session(), bot_id)
    return render_template(
        "operator/bot.html",
        bot=profiles.profile(session(), bot_id),
        barred=found.barred,
        reason=found.reason,
        files=hosting.files(session(), bot_id),
    )


@blueprint.post(f"{BOT}/<any(pause, bar, resume):action>")
def change_bot(bot_id: int, action: str) -> ResponseReturnValue:
    """Pause a bot, for its author to resume (pause) or for admins alone (bar); or resume it."""
    account = identity.admin()
    _confirmed()
    _BOT_ACTIONS[action](session(), account, bot_id, parameters.field("reason"))
    return commit_and_show(".bot", bot_id=bot_id)


@blueprint.get("/hosts")
def hosts() -> ResponseReturnValue:
    """Show the hosts, the builds, what authors' uploads take, and what is banned."""
    identity.admin()
    return _hosts_page()


@blueprint.post("/hosts/<any(drain, undrain, ban, unban):action>")
def change_hosting(action: str) -> ResponseReturnValue:
    """Drain a host or give it work again; ban files or lift a ban: `what` is a name or a hash."""
    account = identity.admin()
    _confirmed()
    what = parameters.field("what")
    try:
        _HOSTING_ACTIONS[action](session(), account, what, parameters.field("reason"))
    except Invalid as error:
        if action != "ban":  # the only one with something to type beside the reason
            raise
        return _hosts_page(error)
    return commit_and_show(".hosts")


def _hosts_page(error: Invalid | None = None) -> ResponseReturnValue:
    page = render_template(
        "operator/hosts.html",
        hosts=hosting.hosts(session()),
        builds=hosting.builds(session()),
        failed=hosting.failed_builds(session()),
        uses=hosting.uses(session()),
        bans=bans.bans(session()),
        wrong={} if error is None else {error.field: errors.sentence(error)},
    )
    return page, errors.status_of(error)


@blueprint.post("/ladders/<int(min=2, max=4):seats>")
def change_ladder(seats: int) -> ResponseReturnValue:
    """Open or close a ladder, set its share of the matches, and who plays on it."""
    account = identity.admin()
    _confirmed()
    share = parameters.whole(parameters.field("share"))
    if share is None:
        raise Invalid("share", "give the share as a whole number")
    ladders.change(
        session(),
        account,
        seats,
        open=parameters.field("open") == "yes",
        share=share,
        hosted_only=parameters.field("hosted_only") == "yes",
    )
    return commit_and_show(".queue", _anchor="ladders-title")


def _faults() -> tuple[WorkerRecord, ...]:
    """Return how often bots faulted on each worker, from the newest fairness report."""
    stored = [found for seats in SEATS if (found := fairness.newest_report(session(), seats))]
    newest = max(stored, key=lambda found: found.computed_at, default=None)
    return newest.report.workers if newest else ()


def _confirmed() -> None:
    if parameters.field("sure") != "yes":
        raise Invalid("sure", "tick “I am sure”, then send the form again")
