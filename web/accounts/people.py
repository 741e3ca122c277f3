"""Users for admins: their roles, reset links, and the audit log."""

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder.errors import Forbidden
from ladder.people import roles, tickets
from ladder.people.accounts import HOUSE, ROLES, Account
from ladder.people.audit import audit_records
from web import forms, identity, parameters, security
from web.database import session
from web.parameters import MOST

blueprint = Blueprint("people", __name__, url_prefix="/admin")
blueprint.after_request(security.no_store)

_PAGE = 50


@blueprint.get("")
def listing() -> ResponseReturnValue:
    """List the newest users; ?name= finds those whose name contains it, ?before= pages."""
    _admin()
    part, before = request.args.get("name", ""), parameters.number("before")
    found = roles.list_people(session(), part=part, before=before, limit=_PAGE + 1)
    shown = found[:_PAGE]
    return render_template(
        "accounts/people.html",
        people=shown,
        roles=ROLES,
        house=HOUSE,
        part=part,
        first=before is None,
        next_before=shown[-1].id if len(found) > _PAGE else None,
    )


@blueprint.post(f"/people/<int(max={MOST}):user_id>/role")
def give_role(user_id: int) -> ResponseReturnValue:
    """Change a user's role."""
    roles.give_role(session(), _admin(), user_id, forms.text("role"))
    session().commit()
    return redirect(url_for(".listing", name=forms.text("part") or None), 303)


@blueprint.post(f"/people/<int(max={MOST}):user_id>/reset-link")
def make_reset_link(user_id: int) -> ResponseReturnValue:
    """Create a reset link and show it, once."""
    link = tickets.make_reset_link(session(), _admin(), user_id)
    session().commit()
    return render_template("accounts/reset_link.html", link=link)


@blueprint.get("/audit")
def audit() -> ResponseReturnValue:
    """List what admins and organisers did; ?before= pages."""
    _admin()
    before = parameters.number("before")
    found = audit_records(session(), before=before, limit=_PAGE + 1)
    shown = found[:_PAGE]
    return render_template(
        "accounts/audit.html",
        entries=shown,
        first=before is None,
        next_before=shown[-1].id if len(found) > _PAGE else None,
    )


def _admin() -> Account:
    """Return the admin who asks by a browser. Raises NotSignedIn and Forbidden."""
    asking = identity.signed_in()
    if not asking.is_admin:
        raise Forbidden("only admins manage users")
    return asking
