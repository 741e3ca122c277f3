"""Who is how good: the ledger, Elo, strength, fairness, and the tables that show them."""
