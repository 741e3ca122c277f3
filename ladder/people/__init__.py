"""Who uses the site: accounts and roles, what proves who it is, and what they are told.

`ladder.people.leaving` (deletion) and `ladder.people.people` (roles, the list for admins) stand
for themselves: the former needs the bots, which need this package.
"""

from ladder.people import tokens
from ladder.people.account import ROLES, Account, NewToken, SignedIn
from ladder.people.auditing import audit
from ladder.people.names import HOUSE
from ladder.people.noticing import notify
from ladder.people.signing import change_password, sign_in, sign_out, sign_up, who
from ladder.people.tokens import SCOPES, Bearer

__all__ = [
    "HOUSE",
    "ROLES",
    "SCOPES",
    "Account",
    "Bearer",
    "NewToken",
    "SignedIn",
    "audit",
    "change_password",
    "notify",
    "sign_in",
    "sign_out",
    "sign_up",
    "tokens",
    "who",
]
