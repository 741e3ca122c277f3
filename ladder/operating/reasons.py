"""Who may operate, and that a reason is given for what is done."""

from __future__ import annotations

from typing import Final

from ladder.errors import Forbidden, Invalid
from ladder.people.account import Account

LONGEST: Final = 500
"""Characters of a reason."""


def may_operate(account: Account) -> None:
    """Raises Forbidden unless it is an admin."""
    if not account.is_admin:
        raise Forbidden("only admins operate the service")


def given(reason: str, most: int = LONGEST) -> str:
    """The reason without blanks around it; raises Invalid (`reason`) for none, or a long one."""
    reason = reason.strip()
    if not 0 < len(reason) <= most:
        raise Invalid("reason", "give a reason, of %(most)s characters at most", most=most)
    return reason
