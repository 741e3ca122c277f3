"""Users of the site: accounts and roles, how they prove their identity, notices, the audit.

accounts   names, what roles allow, and the audit
roles      the list of users, their roles, the first admin
signing    signing up, in and out
passwords  which are strong enough, and their hashes
tickets    what cookies, API tokens and reset links are made of
notices    messages to a user
"""
