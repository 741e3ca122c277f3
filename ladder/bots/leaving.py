"""Deleting one's account: the games stay, the name goes."""

from __future__ import annotations

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from ladder.bots.keeping import retire
from ladder.model import ApiToken, Bot, Notice, now
from ladder.people.accounts import Account, deleted_name
from ladder.people.roles import keep_an_admin
from ladder.people.signing import confirm_password
from ladder.people.tickets import end_sign_ins
from ladder.ratings import ledger


def leave(session: Session, account: Account, *, password: str) -> None:
    """Delete the account: retire its bots, end its tokens and sign-ins, make its name a number.

    The games and ratings of its bots stay. Raises Invalid, naming the field `password`, and Refused
    for the last admin.
    """

    def lock(session: Session) -> None:
        ledger.lock(session)
        keep_an_admin(session, account.id, stays=False)

    user = confirm_password(session, account, password, field="password", lock=lock)
    for bot_id in session.scalars(select(Bot.id).where(Bot.user_id == user.id)).all():
        retire(session, account, bot_id)
    moment = now(session)
    own_tokens = ApiToken.user_id == user.id, ApiToken.revoked_at.is_(None)
    session.execute(update(ApiToken).where(*own_tokens).values(revoked_at=moment))
    session.execute(delete(Notice).where(Notice.user_id == user.id))
    end_sign_ins(session, user.id)
    user.name, user.role = deleted_name(user.id), "author"
    user.password_hash, user.deleted_at = None, moment
    session.flush()
