"""The pages of accounts: the entrance, one's own account, notices, and what admins look after."""

from web.accounts import account, entrance, notices, people, resets

parts = (entrance, resets, account, notices, people)
"""The modules with a blueprint each."""
