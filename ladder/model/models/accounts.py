"""Old names of `ladder.model`."""

from ladder.model import ApiToken as ApiToken
from ladder.model import AuditEntry as AuditEntry
from ladder.model import Notice as Notice
from ladder.model import ResetLink as ResetLink
from ladder.model import SignIn as SignIn
from ladder.model import User as User
