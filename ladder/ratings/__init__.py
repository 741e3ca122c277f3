"""Rate bots: the ledger, Elo, strength, fairness, and the standings that show them."""
