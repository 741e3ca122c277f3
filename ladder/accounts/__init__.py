"""Who uses the site: accounts and roles, what proves who it is, and what they are told.

`ladder.accounts.leaving` (deletion) and `ladder.accounts.people` (roles, the list for admins) stand
for themselves: the former needs the bots, which need this package.
"""

from ladder.accounts import tokens
from ladder.accounts.account import ROLES, Account, NewToken, SignedIn
from ladder.accounts.auditing import audit
from ladder.accounts.names import HOUSE
from ladder.accounts.noticing import notify
from ladder.accounts.signing import change_password, sign_in, sign_out, sign_up, who
from ladder.accounts.tokens import SCOPES, Bearer

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
