"""Pages of accounts: signing in, a user's own account, and what admins do with users."""
