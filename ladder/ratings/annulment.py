"""Annulling a match: an organiser takes its result out of all that is counted, with a reason."""

from __future__ import annotations

from sqlalchemy.orm import Session

from ladder import people
from ladder.errors import Forbidden, NotFound, Phrase, Refused
from ladder.model import Match, now
from ladder.operating.reasons import given
from ladder.people.account import Account
from ladder.ratings import ledger

_LONGEST = 1_000  # characters of a reason


def annul(session: Session, account: Account, match_id: int, reason: str) -> None:
    """Annul a finished match; its replay stays to be seen.

    The change of its ratings is taken back by an entry of the ledger, and it counts nowhere any
    more. Raises Forbidden, NotFound, Invalid (`reason`) and Refused. Must have its transaction for
    itself; the caller commits.
    """
    if not account.may_organise:
        raise Forbidden("only organisers and admins annul matches")
    reason = given(reason, most=_LONGEST)
    ledger.lock(session)
    match = session.get(Match, match_id, populate_existing=True)
    if match is None:
        raise NotFound("there is no match %(match)s", match=match_id)
    if match.state != "finished":
        raise Refused(
            "match %(match)s is %(state)s: only finished matches can be annulled",
            match=match_id,
            state=Phrase(match.state),
        )
    if match.annulled_at is not None:
        raise Refused("match %(match)s is annulled already", match=match_id)
    match.annulled_at, match.annulled_by, match.annul_reason = now(session), account.id, reason
    ledger.take_back(session, match_id)
    people.audit(session, account, "annul", f"match {match_id}", reason)
    session.flush()
