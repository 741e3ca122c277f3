"""Users of the site: accounts and roles, how they prove their identity, notices, the audit."""
