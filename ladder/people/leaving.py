"""Deleting one's account: the games stay, the name goes."""

from __future__ import annotations

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from ladder import bots
from ladder.model import ApiToken, Bot, Notice, now
from ladder.people import names, signing
from ladder.people.account import Account
from ladder.people.people import keep_an_admin
from ladder.ratings import ledger


def leave(session: Session, account: Account, *, password: str) -> None:
    """Delete the account: its bots retire, its tokens and sign-ins end, its name becomes a number.

    What its bots played and where they stood remains. Raises Invalid, naming the field `password`,
    and Refused for the last admin.
    """

    def lock(session: Session) -> None:
        ledger.lock(session)
        keep_an_admin(session, account.id, stays=False)

    user = signing.confirmed(session, account, password, field="password", lock=lock)
    for bot_id in session.scalars(select(Bot.id).where(Bot.user_id == user.id)).all():
        bots.retire(session, account, bot_id)
    moment = now(session)
    own_tokens = ApiToken.user_id == user.id, ApiToken.revoked_at.is_(None)
    session.execute(update(ApiToken).where(*own_tokens).values(revoked_at=moment))
    session.execute(delete(Notice).where(Notice.user_id == user.id))
    signing.end_all(session, user.id)
    user.name, user.role = names.gone(user.id), "author"
    user.password_hash, user.deleted_at = None, moment
    session.flush()
