"""Users: each one's own account, and for admins their roles, reset links and the audit log."""

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder.bots import availability
from ladder.errors import Forbidden, Invalid, LadderError, Refused
from ladder.people import passwords, roles, signing, tickets
from ladder.people.accounts import HOUSE, ROLES, audit_records
from ladder.people.notices import by_subject, list_notices, mark_read
from web import errors, guesses, identity, limits, parameters, security
from web.database import commit_and_show, session
from web.entrance import let_in
from web.parameters import MOST

blueprint = Blueprint("accounts", __name__)
blueprint.after_request(security.no_store)

_PAGE = 50


@blueprint.get("/account")
def page() -> ResponseReturnValue:
    """Show everything that users can change about their accounts."""
    return _page()


@blueprint.post("/account/tokens")
def make_token() -> ResponseReturnValue:
    """Create an API token and show it, once."""
    account, name = identity.signed_in(), parameters.field("name")
    try:
        with guesses.confirmation(account):
            made = signing.make_token(
                session(),
                account,
                password=parameters.password("password"),
                name=name,
                scopes=request.form.getlist("scopes"),
                days=parameters.as_number(parameters.field("days")) or 0,
            )
    except (Invalid, Refused, Forbidden) as error:
        return _page("tokens", error, typed=name)
    limits.TOKEN.count(account)
    session().commit()
    return render_template("accounts/token.html", name=name, token=made.token)


@blueprint.post(f"/account/tokens/<int(max={MOST}):token_id>/revoke")
def revoke_token(token_id: int) -> ResponseReturnValue:
    """Revoke a token."""
    tickets.revoke_token(session(), identity.signed_in(), token_id)
    return commit_and_show(".page", _anchor="tokens")


@blueprint.post("/account/password")
def change_password() -> ResponseReturnValue:
    """Set a new password; this browser stays signed in, all others are signed out."""
    account = identity.signed_in()
    old, new = parameters.password("old"), parameters.password("password")
    try:
        with guesses.confirmation(account):
            signed = signing.change_password(
                session(), account, old=old, new=new, end_tokens="end_tokens" in request.form
            )
    except Invalid as error:
        return _page("password", error)
    return let_in(signed, url_for(".page", password="changed", _anchor="password"))


@blueprint.post("/account/browsers")
def sign_out_elsewhere() -> ResponseReturnValue:
    """Sign out all browsers except this one."""
    signing.sign_out_elsewhere(session(), identity.signed_in(), identity.secret() or "")
    return commit_and_show(".page", _anchor="browsers")


@blueprint.post("/account/leave")
def leave() -> ResponseReturnValue:
    """Delete the account."""
    account = identity.signed_in()
    try:
        with guesses.confirmation(account):
            availability.leave(session(), account, password=parameters.password("password"))
    except (Invalid, Refused) as error:
        return _page("leave", error)
    session().commit()
    security.forget_visitor()
    answer = redirect(url_for("entrance.sign_in", account="deleted"), 303)
    identity.forget(answer)
    return answer


@blueprint.get("/notices")
def notices() -> ResponseReturnValue:
    """List the newest notices and mark those that are shown as read; ?before= pages."""
    account, before = identity.signed_in(), parameters.number("before")
    found = list_notices(session(), account, before=before, limit=_PAGE + 1)
    shown, next_before = parameters.page_of(found, _PAGE)
    mark_read(session(), account, shown)
    session().commit()
    return render_template(
        "accounts/notices.html", groups=by_subject(shown), next_before=next_before
    )


@blueprint.get("/admin")
def users() -> ResponseReturnValue:
    """List the newest users; ?name= finds those whose name contains it, ?before= pages."""
    identity.admin()
    part, before = request.args.get("name", ""), parameters.number("before")
    found = roles.list_people(session(), part=part, before=before, limit=_PAGE + 1)
    shown, next_before = parameters.page_of(found, _PAGE)
    return render_template(
        "accounts/people.html",
        people=shown,
        roles=ROLES,
        house=HOUSE,
        part=part,
        next_before=next_before,
    )


@blueprint.post(f"/admin/people/<int(max={MOST}):user_id>/role")
def give_role(user_id: int) -> ResponseReturnValue:
    """Change a user's role."""
    roles.give_role(session(), identity.admin(), user_id, parameters.field("role"))
    return commit_and_show(".users", name=parameters.field("part") or None)


@blueprint.post(f"/admin/people/<int(max={MOST}):user_id>/reset-link")
def make_reset_link(user_id: int) -> ResponseReturnValue:
    """Create a reset link and show it, once."""
    link = tickets.make_reset_link(session(), identity.admin(), user_id)
    session().commit()
    return render_template("accounts/reset_link.html", link=link)


@blueprint.get("/admin/audit")
def audit() -> ResponseReturnValue:
    """List what admins and organisers did; ?before= pages."""
    identity.admin()
    found = audit_records(session(), before=parameters.number("before"), limit=_PAGE + 1)
    shown, next_before = parameters.page_of(found, _PAGE)
    return render_template("accounts/audit.html", entries=shown, next_before=next_before)


def _page(
    section: str = "", error: LadderError | None = None, typed: str = ""
) -> ResponseReturnValue:
    """Show the page, with the error in its section if there was one."""
    session().rollback()
    account = identity.signed_in()
    wrong = {}
    if error is not None:
        wrong[f"{section}.{getattr(error, 'field', 'all')}"] = errors.sentence(error)
    shown = render_template(
        "accounts/account.html",
        tokens=tickets.list_tokens(session(), account),
        scopes=tickets.allowed_scopes(account),
        days=tickets.TOKEN_DAYS,
        ticked=request.form.getlist("scopes") or ["read"],
        lasting=parameters.as_number(parameters.field("days")) or tickets.TOKEN_DAYS[1],
        browsers=signing.browsers(session(), account),
        shortest=passwords.MIN_LENGTH,
        wrong=wrong,
        typed=typed,
    )
    return shown, errors.status_of(error)
