"""The operator's page: queue, matches, workers, faults, bots that are away, checks, ladders."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder import matches, operating, workers
from ladder.contests import ladders
from ladder.errors import Forbidden
from ladder.matches import Kind
from ladder.people.account import Account
from ladder.ratings import reports
from ladder.ratings.fairness import WorkerRecord
from web import identity, security
from web.database import session
from web.formats import SEATS

blueprint = Blueprint("operator", __name__, url_prefix="/operator")
blueprint.after_request(security.keep_nothing)

_FAILED = 20


@blueprint.get("")
def queue() -> ResponseReturnValue:
    """What waits, what is played and by whom, what failed, and who does not play."""
    admin()
    return render_template(
        "operator/queue.html",
        kinds=tuple(Kind),
        queue=matches.queue_state(session()),
        running=operating.running(session()),
        waiting=operating.waiting_longest(session()),
        workers=workers.living(session()),
        faults=_faults(),
        failed=matches.page(session(), state="failed", limit=_FAILED).matches,
        away=operating.away(session()),
        validation=operating.validation(session()),
        ladders=ladders.every(session()),
    )


def admin() -> Account:
    """Who asks, by a browser, if that is an admin."""
    asking = identity.signed_in()
    if not asking.is_admin:
        raise Forbidden("only admins see the queue and the workers")
    return asking


def _faults() -> tuple[WorkerRecord, ...]:
    """How often bots faulted on each worker, as the newest report on the ladders has it."""
    stored = [found for seats in SEATS if (found := reports.stored(session(), seats))]
    newest = max(stored, key=lambda found: found.computed_at, default=None)
    return newest.report.workers if newest else ()
